/* What the compiler says about the code: lines, inlined functions, variables and types. Read with elfutils' libdw,
 * which is loaded when it is first needed (debug_info.c); types.c knows nothing of it. */
#ifndef ASIF_TEST_DEBUG_INFO_H
#define ASIF_TEST_DEBUG_INFO_H

#include "base/mem.h"
#include "base/text.h"
#include "test/tell.h"

enum type_kind {
  TYPE_OTHER, /* nothing is known but its size */
  TYPE_SIGNED,
  TYPE_UNSIGNED,
  TYPE_BOOL,
  TYPE_CHAR,
  TYPE_FLOAT,
  TYPE_ENUM,
  TYPE_POINTER,
  TYPE_STRUCT, /* a class, too */
  TYPE_UNION,
  TYPE_ARRAY
};

struct type;
struct member {
  const char *name; /* NULL: of a base class, or a struct or union without a name */
  const struct type *type;
  uint64_t offset;
  uint64_t bit, bits; /* of a bit-field, within the struct; bits 0: it is none */
};
struct enumerator {
  const char *name;
  int64_t value;
};
/* Without qualifiers, and without the names that typedef gives. */
struct type {
  enum type_kind kind;
  bool system;           /* declared in a header of the language */
  bool reference;        /* a pointer that is written as what it leads to */
  const char *name;      /* "struct node", "queue<int>::node", "int"; NULL: it has none */
  uint64_t size;         /* 0: not known */
  const struct type *to; /* of a pointer and an array; NULL: of void */
  uint64_t count;        /* of an array; 0: not known, as of a flexible member */
  const struct member *members;
  size_t member_count;
  const struct enumerator *values;
  size_t value_count;
};

/* A variable of static storage. */
struct variable {
  const char *name; /* as it is declared */
  const struct type *type;
  uintptr_t address; /* in the file; of a thread-local one: in the storage of a thread */
  bool thread_local_, system;
};

struct debug_info;
/* Of a shared object. NULL: there is no libdw (then *no_library is true), or nothing is known. */
struct debug_info *debug_open(struct mem *, const char *object, bool *no_library);
void debug_close(struct debug_info *);
size_t debug_variables(struct debug_info *, const struct variable **);
/* Calls `use` for each function that the address in the file is in, as frames_find. False: nothing is known of it. */
bool debug_frames(struct debug_info *, uintptr_t address, size_t at, frame_user *, void *self);

/* A function that is running: its registers as far as it has to keep them, by their numbers in the debug information.
 */
enum { MACHINE_REGISTERS = 32 };
struct machine_frame {
  uintptr_t pc;   /* in the file: an address in the call that it is at */
  uintptr_t cfa;  /* where its frame begins; 0: not known */
  uint32_t known; /* bit r: register r */
  uintptr_t registers[MACHINE_REGISTERS];
};
/* A variable of the function, or of one that is inlined there, that has a value now. */
struct local {
  const char *name;
  const struct type *type;
  bool in_register; /* its value is `value` */
  uintptr_t value;  /* or: where it is */
  unsigned depth;   /* 0: of the innermost function, ... */
};
typedef void local_user(void *self, const struct local *);
void debug_locals(struct debug_info *, const struct machine_frame *, local_user *, void *self);

/* What a call that allocates is for: the type that the variable points to which is declared there, or assigned. NULL:
 * it cannot be told. The size of a block is one or several times that of the type. */
const struct type *debug_allocated(struct debug_info *, uintptr_t address, uint64_t size);

/* types.c: fields. */
struct field {
  const struct type *type; /* of what is there; NULL: not known */
  uint64_t offset;         /* into that */
};
/* Adds ".next", "[3].seq", " + 4" for what lies `offset` bytes into something of the type, and is accessed with `size`
 * bytes. `beyond`: how many bytes are there in all: a flexible array goes up to that. The text begins with "." or "["
 * or " + ", or is empty. Members of the language's own classes that are all there is in them have no name: std::atomic.
 */
#define FIELD_POINTED ((uint64_t)0) /* instead of a size: the outermost thing that begins there */
#define FIELD_SYNC    UINT64_MAX    /* ... what of the language's library is there: a mutex */
struct field field_put(const struct type *, uint64_t offset, uint64_t size, uint64_t beyond, struct text *);
/* Calls `use` for each pointer in it, with its place, and what is declared there. */
typedef bool pointer_user(void *self, uint64_t offset, const struct type *to); /* false: enough */
bool type_pointers(const struct type *, uint64_t most, pointer_user *, void *self);
bool type_is_record(const struct type *);
const struct type *type_flexible(const struct type *); /* the array a record ends with that may be longer; or NULL */
/* A value as it is written in the type; false: nothing is known about how. */
bool value_put(const struct type *, uint64_t value, uint32_t size, struct text *);

#endif
