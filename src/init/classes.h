/* The classes that a C++ header declares, as far as `asif init` needs them: names, template parameters and members. */
#ifndef ASIF_INIT_CLASSES_H
#define ASIF_INIT_CLASSES_H

#include <stdbool.h>

#include "base/problem.h"
#include "base/text.h"

struct toolchain;

enum template_kind { TEMPLATE_TYPE, TEMPLATE_NUMBER, TEMPLATE_TRUTH, TEMPLATE_TEMPLATE };

struct template_param {
  const char *name; /* "" if it has none */
  enum template_kind kind;
  bool defaulted; /* or a pack, which may be empty */
};

struct class_member {
  const char *name;
  const char *takes; /* type of its first parameter, without const and reference; "" if it has none */
};

struct cxx_class {
  const char *name; /* "boost::lockfree::queue" */
  bool is_template;
  bool hidden;  /* in a namespace that is not for users, such as detail */
  bool whole;   /* it has a body, or is an alias; otherwise only declared */
  bool derived; /* it has bases, or is an alias: not all its members are listed */
  VEC(struct template_param) params;
  VEC(struct class_member) members; /* public functions of its own */
};

struct classes {
  VEC(struct cxx_class) list;
};

/* Preprocesses the file and reads it. */
bool classes_read(const struct toolchain *, const char *path, struct classes *, struct problem *);

#endif
