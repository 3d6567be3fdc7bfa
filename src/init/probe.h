/* What can be done with a C++ class: the compiler is asked which calls it accepts and what they return, so that
 * overloads, defaults, inherited members and access are right. */
#ifndef ASIF_INIT_PROBE_H
#define ASIF_INIT_PROBE_H

#include <stdbool.h>

#include "init/names.h"

struct toolchain;

enum call_form {
  CALL_VALUE,       /* f(v) */
  CALL_MOVED,       /* f(std::move(v)) */
  CALL_POINTER,     /* f(pointer to an element) */
  CALL_NONE,        /* f() */
  CALL_OUT,         /* f(out) */
  CALL_OUT_POINTER, /* f(&out) */
  CALL_OUT_ITEM,    /* f(out), which is a pointer to an element */
  CALL_KEY_VALUE,   /* f(v, x) */
  CALL_PAIR,        /* f({v, x}) */
  CALL_KEY_OUT,     /* f(v, out) */
};

enum call_result {
  GIVES_ERROR, /* the call does not compile */
  GIVES_NOTHING,
  GIVES_TRUTH,
  GIVES_COUNT,  /* an unsigned number */
  GIVES_NUMBER, /* another number */
  GIVES_ENUM,
  GIVES_ELEMENT,  /* the element type, if that is a pointer */
  GIVES_PAIR,     /* its second member is a truth value */
  GIVES_ITERATOR, /* can be compared with end() */
  GIVES_OPTIONAL, /* true if there is something in it, which * gives */
  GIVES_TRUE,     /* another class that converts to bool */
  GIVES_OTHER
};

struct probe_call {
  enum role role;
  const char *name;
  enum call_form form;
  bool threaded; /* takes the number of the thread too, last */
  enum call_result gives;
};

struct probe {
  const char *include, *type, *element;
  unsigned size; /* what SIZE is */
  VEC(struct probe_call) calls;
  bool sized;             /* the constructor takes a number */
  bool plain;             /* it takes nothing */
  bool fits;              /* the element is a number or a pointer */
  bool set_capacity;      /* a member that takes a number */
  enum call_result front; /* of front() */
  bool empty;             /* empty() gives a truth value */
};

void probe_add(struct mem *, struct probe *, enum role, const char *name); /* every form that suits the role */
/* False if the type itself does not compile: the compiler's messages are in `said`. */
bool probe_ask(const struct toolchain *, struct probe *, struct text *said);

#endif
