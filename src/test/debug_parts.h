/* The inside of debug_info*.c: libdw's functions, and what is kept of the file. */
#ifndef ASIF_TEST_DEBUG_PARTS_H
#define ASIF_TEST_DEBUG_PARTS_H

#include "test/debug_info.h"

#ifdef HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>

/* All that is called: the library is loaded only where something is told, so that nothing else takes longer to start.
 */
#define LIBDW_FUNCTIONS(X) \
  X(dwarf_begin) \
  X(dwarf_end) \
  X(dwarf_get_units) \
  X(dwarf_child) \
  X(dwarf_siblingof) \
  X(dwarf_tag) \
  X(dwarf_new_oom_handler) \
  X(dwarf_diename) \
  X(dwarf_attr) \
  X(dwarf_attr_integrate) \
  X(dwarf_hasattr) \
  X(dwarf_whatform) \
  X(dwarf_formref_die) \
  X(dwarf_formudata) \
  X(dwarf_formsdata) \
  X(dwarf_formaddr) \
  X(dwarf_formflag) \
  X(dwarf_formstring) \
  X(dwarf_bytesize) \
  X(dwarf_haspc) \
  X(dwarf_ranges) \
  X(dwarf_getscopes_die) \
  X(dwarf_getlocation) \
  X(dwarf_getlocation_addr) \
  X(dwarf_getlocation_attr) \
  X(dwarf_getsrclines) \
  X(dwarf_getsrcfiles) \
  X(dwarf_filesrc) \
  X(dwarf_getsrc_die) \
  X(dwarf_lineno) \
  X(dwarf_linecol) \
  X(dwarf_linesrc) \
  X(dwarf_onesrcline) \
  X(dwarf_lineaddr) \
  X(dwarf_diecu) \
  X(dwarf_srclang)

struct libdw {
#define LIBDW_MEMBER(name) __typeof__(name) *name;
  LIBDW_FUNCTIONS(LIBDW_MEMBER)
#undef LIBDW_MEMBER
};

struct unit {
  Dwarf_Die die; /* of the code: of a split unit, the part that is in the other file */
  Dwarf_Die lines;
};
/* The code of a function, or a part of it. */
struct function_code {
  Dwarf_Addr low, high;
  Dwarf_Die die;
  uint32_t unit;
};
/* A type that is declared whole, and its name with the namespaces and classes it is in. */
struct definition {
  const void *at; /* Dwarf_Die.addr */
  const char *name;
  Dwarf_Die die;
};
struct read_type {
  const void *at;
  struct type *type;
};
struct location {
  uint8_t kind; /* enum location_kind */
  uint8_t reg;
  int64_t offset;
};
enum location_kind {
  IN_NOTHING,
  IN_REGISTER,
  AT_REGISTER,
  AT_FRAME,
  IS_REGISTER
}; /* IS: the value is the register + offset */
struct local_place {
  const char *name;
  const struct type *type;
  struct location place;
  unsigned depth;
};
/* The variables that can be told at a place in the code. */
struct locals_at {
  uintptr_t pc;
  struct local_place *at;
  size_t count;
};
struct waiting_type {
  struct type *type;
  Dwarf_Die die;
};
struct debug_info {
  struct mem *mem;
  const struct libdw *dw;
  Dwarf *file;
  int fd;
  VEC(struct unit) units;
  VEC(struct function_code) functions; /* by address, once all are there */
  uint32_t reading;                    /* the unit that is gone through */
  VEC(struct definition) definitions;  /* by name, once all are there */
  struct definition *by_place;
  VEC(struct variable) variables;
  VEC(Dwarf_Die) variable_types; /* of each, until it is read */
  struct read_type *types;       /* a hash table */
  size_t type_count, type_room;
  VEC(struct waiting_type) waiting;
  VEC(struct locals_at) locals;
};

/* debug_types.c */
const struct type *debug_type(struct debug_info *, Dwarf_Die *);    /* of the type itself */
const struct type *debug_type_of(struct debug_info *, Dwarf_Die *); /* of a variable, a member, ...; NULL: void */
const char *debug_name(struct debug_info *, Dwarf_Die *);           /* as it is declared; NULL: it has none */
bool debug_number(struct debug_info *, Dwarf_Die *, unsigned attribute, uint64_t *);
bool debug_is_system(struct debug_info *, Dwarf_Die *);                       /* declared in a header of the language */
bool debug_is_c(int language);                                                /* DW_LANG_ */
const char *debug_file(struct debug_info *, Dwarf_Die *, unsigned attribute); /* DW_AT_decl_file, DW_AT_call_file */
/* The scopes that a place in the code is in, the innermost first; to be freed. 0: none. */
int debug_scopes(struct debug_info *, uintptr_t pc, Dwarf_Die **, const struct unit **);
/* The functions that a place in the code is in: the innermost, which may be inlined, and up to the one it is part of;
 * each with the line that is executed in it. */
struct inlined {
  Dwarf_Die *function;
  const struct unit *unit;
  const char *file; /* NULL: not known */
  int line, column;
  Dwarf_Die *scopes;
  int at, count;
  bool last;
};
bool inlined_first(struct debug_info *, uintptr_t pc, struct inlined *); /* false: there is none */
bool inlined_next(struct debug_info *, struct inlined *);
void inlined_close(struct inlined *);
#endif

#endif
