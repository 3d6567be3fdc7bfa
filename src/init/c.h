/* The container that a C header declares, as `asif init` recognised it. */
#ifndef ASIF_INIT_C_H
#define ASIF_INIT_C_H

#include "init/header.h"
#include "init/init.h"
#include "init/names.h"

struct c_guess {
  struct mem *mem;
  const struct init_request *request;
  const struct header *header;
  const char *handle; /* "struct queue": its functions take a pointer to it */
  const struct header_function *of[ROLES];
  const struct header_function *node_init; /* prepares a node of the caller's; or NULL */
  const char *inlined; /* macro that turns calls of the library into its code, where the header asks for one; or NULL */
  const char *spec;    /* "bounded_queue(2)" */
  struct spec_words words;
  bool keyed, mapped;
};

bool type_is_handle(const struct c_guess *, const struct header_type *);
bool type_is_truth(const struct header_type *);
bool type_is_answer(const struct header_type *); /* points to a truth value */
bool type_is_pointer(const struct header_type *);
bool type_is_void(const struct header_type *);
bool type_is_number(const struct header_type *);
bool type_is_struct(const struct header_type *); /* points to one */
bool type_is_node(const struct header_type *);   /* points to a struct for each element, rather than one for all */

/* The parameter that is the element, or where it goes to. */
unsigned function_element(const struct header_function *);
/* True if the function needs nothing but the object, and structs that belong to it. */
bool function_needs_object_only(const struct header_function *);
/* True if elements are nodes of the caller's: put in by a pointer to a struct, and taken out as one. */
bool c_is_intrusive(const struct c_guess *);

void c_write(const struct c_guess *, struct text *);

#endif
