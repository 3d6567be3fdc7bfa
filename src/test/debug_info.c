/* Debug information: opening it, variables, and the lines and functions of addresses.
 *
 * The file is gone through once: variables of static storage, and types with the names of the namespaces and classes
 * they are in. All that needs much of the stack is done then: later some is read on the stack of a thread of the code.
 */
#include "test/debug_parts.h"
#include "test/test.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_LIBDW

#define LIBRARY "libdw.so.1"
enum { DEPTH_MOST = 64, VARIABLES_MOST = 1 << 16, DEFINITIONS_MOST = 1 << 18 };

static const struct libdw *library(void) {
  static struct libdw functions;
  static bool tried, there;
  if (tried) return there ? &functions : NULL;
  tried = true;
  const char *other = getenv("ASIF_LIBDW");
  void *handle = dlopen(other && *other ? other : LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return NULL;
  there = true;
#define LIBDW_FIND(name) there &= (*(void **)(void *)&functions.name = dlsym(handle, #name)) != NULL;
  LIBDW_FUNCTIONS(LIBDW_FIND)
#undef LIBDW_FIND
  return there ? &functions : NULL;
}

/* What libdw has no memory for is not there, or ends the process: neither is to be taken for an answer. */
static __attribute__((noreturn)) void no_memory_inside(void) { run_no_memory("debug information"); }
static void must_have_memory(const struct debug_info *d) {
  if (errno == ENOMEM) mem_exhausted(d->mem);
}

bool debug_library(void) { return library() != NULL; }

bool debug_number(struct debug_info *d, Dwarf_Die *die, unsigned attribute, uint64_t *to) {
  Dwarf_Attribute a;
  Dwarf_Word w;
  if (!d->dw->dwarf_attr_integrate(die, attribute, &a) || d->dw->dwarf_formudata(&a, &w)) return false;
  *to = w;
  return true;
}

const char *debug_name(struct debug_info *d, Dwarf_Die *die) {
  Dwarf_Attribute a;
  return d->dw->dwarf_attr_integrate(die, DW_AT_name, &a) ? d->dw->dwarf_formstring(&a) : NULL;
}

const char *debug_file(struct debug_info *d, Dwarf_Die *die, unsigned attribute) {
  Dwarf_Attribute a;
  Dwarf_Word number;
  Dwarf_Die unit;
  Dwarf_Files *files;
  size_t count;
  /* The number means something in the unit that the attribute is in, which another may refer to. */
  if (!d->dw->dwarf_attr(die, attribute, &a) || d->dw->dwarf_formudata(&a, &number) ||
      !d->dw->dwarf_diecu(die, &unit, NULL, NULL) || d->dw->dwarf_getsrcfiles(&unit, &files, &count) || number >= count)
    return NULL;
  return d->dw->dwarf_filesrc(files, number, NULL, NULL);
}

bool debug_is_system(struct debug_info *d, Dwarf_Die *given) {
  enum { STEPS_MOST = 4 };
  static const unsigned refers[] = {DW_AT_abstract_origin, DW_AT_specification};
  Dwarf_Die die = *given;
  for (unsigned i = 0; i < STEPS_MOST; i++) {
    const char *file = debug_file(d, &die, DW_AT_decl_file);
    if (file) return path_is_of_language(file);
    bool more = false;
    for (unsigned k = 0; k < 2 && !more; k++) {
      Dwarf_Attribute a;
      Dwarf_Die to;
      if (!d->dw->dwarf_attr(&die, refers[k], &a) || !d->dw->dwarf_formref_die(&a, &to)) continue;
      die = to;
      more = true;
    }
    if (!more) return false;
  }
  return false;
}

/* Going through the file. */

static void add_variable(struct debug_info *d, Dwarf_Die *die) {
  Dwarf_Attribute a, inner;
  Dwarf_Op *ops;
  size_t count;
  Dwarf_Addr address = 0;
  struct variable v = {.name = debug_name(d, die)};
  if (!v.name || !d->dw->dwarf_attr(die, DW_AT_location, &a) || d->dw->dwarf_getlocation(&a, &ops, &count) || !count)
    return;
  if (count == 1 && ops[0].atom == DW_OP_addr) {
    address = ops[0].number;
  } else if (count == 1 && ops[0].atom == DW_OP_addrx) {
    if (d->dw->dwarf_getlocation_attr(&a, ops, &inner) || d->dw->dwarf_formaddr(&inner, &address)) return;
  } else if (count == 2 && (ops[1].atom == DW_OP_GNU_push_tls_address || ops[1].atom == DW_OP_form_tls_address)) {
    v.thread_local_ = true;
    if (ops[0].atom != DW_OP_const8u && ops[0].atom != DW_OP_const4u && ops[0].atom != DW_OP_addr) return;
    address = ops[0].number;
  } else {
    return;
  }
  v.address = address;
  v.system = debug_is_system(d, die);
  Dwarf_Attribute type;
  Dwarf_Die of;
  if (!d->dw->dwarf_attr_integrate(die, DW_AT_type, &type) || !d->dw->dwarf_formref_die(&type, &of)) return;
  if (d->variables.count >= VARIABLES_MOST) return;
  vec_push(d->mem, &d->variables, v);
  vec_push(d->mem, &d->variable_types, of);
}

static const char *joined(struct debug_info *d, const char *before, const char *name) {
  if (!*before) return name;
  struct text t;
  text_open(&t, d->mem);
  text_printf(&t, "%s::%s", before, name);
  return text_string(&t);
}

static void add_function(struct debug_info *d, Dwarf_Die *die) {
  struct function_code f = {.die = *die, .unit = d->reading};
  Dwarf_Addr base;
  ptrdiff_t next = 0;
  while ((next = d->dw->dwarf_ranges(die, next, &base, &f.low, &f.high)) > 0)
    if (f.low < f.high && f.low) vec_push(d->mem, &d->functions, f); /* at 0: the linker has left it out */
}

static void go_through(struct debug_info *d, Dwarf_Die *parent, const char *before, unsigned depth) {
  Dwarf_Die die;
  if (!depth || d->dw->dwarf_child(parent, &die)) return;
  do {
    const char *name;
    switch (d->dw->dwarf_tag(&die)) {
    case DW_TAG_variable: add_variable(d, &die); break;
    case DW_TAG_namespace:
      name = debug_name(d, &die);
      go_through(d, &die, name ? joined(d, before, name) : before, depth - 1); /* one without a name has no name */
      break;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
    case DW_TAG_enumeration_type:
      name = debug_name(d, &die);
      if (!name || d->definitions.count >= DEFINITIONS_MOST) break;
      name = joined(d, before, name);
      if (!d->dw->dwarf_hasattr(&die, DW_AT_declaration))
        vec_push(d->mem, &d->definitions, ((struct definition){die.addr, name, die}));
      go_through(d, &die, name, depth - 1);
      break;
    case DW_TAG_subprogram:
      add_function(d, &die);
      go_through(d, &die, before, depth - 1);
      break;
    case DW_TAG_lexical_block: go_through(d, &die, before, depth - 1); break; /* for what is static there */
    default: break;
    }
  } while (!d->dw->dwarf_siblingof(&die, &die));
}

static int by_name(const void *a, const void *b) {
  const struct definition *x = a, *y = b;
  int c = strcmp(x->name, y->name);
  return c ? c : x->at < y->at ? -1 : x->at > y->at;
}
static int by_place(const void *a, const void *b) {
  const struct definition *x = a, *y = b;
  return x->at < y->at ? -1 : x->at > y->at;
}
static int by_address(const void *a, const void *b) {
  const struct variable *x = a, *y = b;
  return x->address < y->address ? -1 : x->address > y->address;
}

static int by_low(const void *a, const void *b) {
  const struct function_code *x = a, *y = b;
  return x->low < y->low ? -1 : x->low > y->low;
}

bool debug_is_c(int language) {
  enum { C17 = 0x2c, C23 = 0x3e }; /* not all versions of the header have these */
  return language == DW_LANG_C || language == DW_LANG_C89 || language == DW_LANG_C99 || language == DW_LANG_C11 ||
         language == C17 || language == C23;
}

static void read_units(struct debug_info *d) {
  Dwarf_CU *unit = NULL;
  uint8_t kind;
  Dwarf_Die whole, split;
  while (!d->dw->dwarf_get_units(d->file, unit, &unit, NULL, &kind, &whole, &split)) {
    if (kind != DW_UT_compile && kind != DW_UT_skeleton && kind != DW_UT_partial) continue;
    bool other = kind == DW_UT_skeleton && split.addr;
    struct unit u = {.die = other ? split : whole, .lines = whole};
    Dwarf_Lines *lines;
    Dwarf_Files *files;
    size_t count;
    errno = 0;
    bool failed = d->dw->dwarf_getsrclines(&u.lines, &lines, &count);
    failed |= !!d->dw->dwarf_getsrcfiles(&u.lines, &files, &count);
    if (other) failed |= !!d->dw->dwarf_getsrcfiles(&u.die, &files, &count);
    if (failed) must_have_memory(d);
    vec_push(d->mem, &d->units, u);
  }
  for (size_t i = 0; i < d->units.count; i++) {
    d->reading = (uint32_t)i;
    go_through(d, &d->units.at[i].die, "", DEPTH_MOST);
  }
  if (d->functions.count) qsort(d->functions.at, d->functions.count, sizeof *d->functions.at, by_low);
}

struct debug_info *debug_open(struct mem *m, const char *object, bool *no_library) {
  struct debug_info *d = mem_zero(m, 1, sizeof *d);
  d->mem = m;
  errno = 0;
  d->dw = library();
  if (!d->dw) must_have_memory(d);
  *no_library = !d->dw;
  if (!d->dw) return NULL;
  d->fd = open(object, O_RDONLY | O_CLOEXEC);
  if (d->fd < 0) return NULL;
  errno = 0;
  d->file = d->dw->dwarf_begin(d->fd, DWARF_C_READ);
  if (!d->file) must_have_memory(d);
  if (d->file) {
    d->dw->dwarf_new_oom_handler(d->file, no_memory_inside);
    read_units(d);
  }
  if (!d->units.count) {
    debug_close(d);
    return NULL;
  }
  size_t count = d->definitions.count;
  if (count) {
    d->by_place = mem_alloc(m, count * sizeof *d->by_place);
    memcpy(d->by_place, d->definitions.at, count * sizeof *d->by_place);
    qsort(d->by_place, count, sizeof *d->by_place, by_place);
    qsort(d->definitions.at, count, sizeof *d->definitions.at, by_name);
  }
  for (size_t i = 0; i < d->variables.count; i++) d->variables.at[i].type = debug_type(d, &d->variable_types.at[i]);
  if (d->variables.count) qsort(d->variables.at, d->variables.count, sizeof *d->variables.at, by_address);
  return d;
}

void debug_close(struct debug_info *d) {
  if (!d) return;
  if (d->file) d->dw->dwarf_end(d->file);
  close(d->fd);
  d->file = NULL;
}

size_t debug_variables(struct debug_info *d, const struct variable **at) {
  *at = d->variables.at;
  return d->variables.count;
}

/* Functions and lines. */

static const struct function_code *function_at(struct debug_info *d, Dwarf_Addr pc) {
  size_t low = 0, high = d->functions.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (d->functions.at[middle].low <= pc)
      low = middle + 1;
    else
      high = middle;
  }
  const struct function_code *f = low ? &d->functions.at[low - 1] : NULL;
  return f && pc < f->high ? f : NULL;
}

/* What is within this scope, and has the place in it. */
static bool inner_scope(struct debug_info *d, Dwarf_Die *scope, Dwarf_Addr pc, Dwarf_Die *inner) {
  if (d->dw->dwarf_child(scope, inner)) return false;
  do {
    int tag = d->dw->dwarf_tag(inner);
    bool is = tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine;
    if (is && d->dw->dwarf_haspc(inner, pc) > 0) return true;
  } while (!d->dw->dwarf_siblingof(inner, inner));
  return false;
}

int debug_scopes(struct debug_info *d, uintptr_t pc, Dwarf_Die **scopes, const struct unit **of) {
  const struct function_code *f = function_at(d, pc);
  if (!f) return 0;
  *scopes = calloc(DEPTH_MOST, sizeof **scopes);
  if (!*scopes) mem_escape(d->mem);
  int count = 0;
  Dwarf_Die at = f->die, inner;
  for (;; at = inner) {
    (*scopes)[DEPTH_MOST - ++count] = at;
    if (count == DEPTH_MOST || !inner_scope(d, &at, pc, &inner)) break;
  }
  memmove(*scopes, *scopes + DEPTH_MOST - count, (size_t)count * sizeof **scopes);
  if (of) *of = &d->units.at[f->unit];
  return count;
}

static const char *function_name(struct debug_info *d, Dwarf_Die *die) {
  Dwarf_Attribute a;
  bool linked = d->dw->dwarf_attr_integrate(die, DW_AT_linkage_name, &a) ||
                d->dw->dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &a);
  const char *name = linked ? d->dw->dwarf_formstring(&a) : debug_name(d, die);
  return name ? name : "??";
}

/* Is the address in a function that is inlined into this one? */
static bool is_deeper(struct debug_info *d, Dwarf_Die *die, Dwarf_Addr address, unsigned depth) {
  Dwarf_Die child;
  if (!depth || d->dw->dwarf_child(die, &child)) return false;
  do {
    int tag = d->dw->dwarf_tag(&child);
    if (tag == DW_TAG_inlined_subroutine && d->dw->dwarf_haspc(&child, address) > 0) return true;
    if (tag == DW_TAG_lexical_block && is_deeper(d, &child, address, depth - 1)) return true;
  } while (!d->dw->dwarf_siblingof(&child, &child));
  return false;
}

/* The first row of the table of lines that is not before an address. */
static size_t first_row(struct debug_info *d, Dwarf_Lines *lines, size_t count, Dwarf_Addr address) {
  size_t low = 0;
  while (low < count) {
    size_t middle = low + (count - low) / 2;
    Dwarf_Line *row = d->dw->dwarf_onesrcline(lines, middle);
    Dwarf_Addr at = 0;
    if (row && !d->dw->dwarf_lineaddr(row, &at) && at < address)
      low = middle + 1;
    else
      count = middle;
  }
  return low;
}

/* Has the inlined function no code of another line, but where it begins? */
static bool has_one_line(struct debug_info *d, const struct unit *unit, Dwarf_Die *die, int declared, int line) {
  Dwarf_Die of = unit->lines;
  Dwarf_Lines *lines;
  Dwarf_Addr base, low, high;
  size_t count;
  ptrdiff_t range = 0;
  if (d->dw->dwarf_getsrclines(&of, &lines, &count)) return false;
  while ((range = d->dw->dwarf_ranges(die, range, &base, &low, &high)) > 0)
    for (size_t i = first_row(d, lines, count, low); i < count; i++) {
      Dwarf_Line *row = d->dw->dwarf_onesrcline(lines, i);
      Dwarf_Addr address;
      int other;
      if (!row || d->dw->dwarf_lineaddr(row, &address) || d->dw->dwarf_lineno(row, &other)) return false;
      if (address >= high) break;
      Dwarf_Line *next = i + 1 < count ? d->dw->dwarf_onesrcline(lines, i + 1) : NULL;
      Dwarf_Addr after;
      if (next && !d->dw->dwarf_lineaddr(next, &after) && after == address) continue; /* no code is of this line */
      if (other == line || other == declared || other == declared + 1) continue;
      if (!is_deeper(d, die, address, DEPTH_MOST)) return false;
    }
  return true;
}

/* Does who calls the function say more than its line: one that is inlined, and written in one line, or of a library and
 * with one line of code? */
static bool is_wrapper(struct debug_info *d, const struct unit *unit, Dwarf_Die *die, const char *file, int line) {
  uint64_t declared = 0;
  if (d->dw->dwarf_tag(die) != DW_TAG_inlined_subroutine || !debug_number(d, die, DW_AT_decl_line, &declared))
    return false;
  return declared == (uint64_t)line ||
         (file && !strncmp(file, "/usr/", 5) && has_one_line(d, unit, die, (int)declared, line));
}

/* Goes on to the function that is or surrounds scope f->at. */
static bool find_function(struct debug_info *d, struct inlined *f) {
  for (; f->at < f->count; f->at++) {
    int tag = d->dw->dwarf_tag(&f->scopes[f->at]);
    if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine) continue;
    f->function = &f->scopes[f->at];
    f->last = tag == DW_TAG_subprogram;
    return true;
  }
  return false;
}

bool inlined_first(struct debug_info *d, uintptr_t pc, struct inlined *f) {
  *f = (struct inlined){.scopes = NULL};
  f->count = debug_scopes(d, pc, &f->scopes, &f->unit);
  if (f->count <= 0) return false;
  Dwarf_Die lines = f->unit->lines;
  Dwarf_Line *row = d->dw->dwarf_getsrc_die(&lines, pc);
  f->file = row ? d->dw->dwarf_linesrc(row, NULL, NULL) : NULL;
  if (row) d->dw->dwarf_lineno(row, &f->line), d->dw->dwarf_linecol(row, &f->column);
  return find_function(d, f);
}

bool inlined_next(struct debug_info *d, struct inlined *f) {
  uint64_t called = 0, column = 0;
  if (f->last) return false;
  debug_number(d, f->function, DW_AT_call_line, &called);
  debug_number(d, f->function, DW_AT_call_column, &column);
  f->file = debug_file(d, f->function, DW_AT_call_file);
  f->line = (int)called;
  f->column = (int)column;
  f->at++;
  return find_function(d, f);
}

void inlined_close(struct inlined *f) {
  if (f->count > 0) free(f->scopes);
}

bool debug_frames(struct debug_info *d, uintptr_t address, size_t at, frame_user *use, void *self) {
  bool any = false;
  struct inlined f;
  for (bool more = inlined_first(d, address, &f); more; more = inlined_next(d, &f)) {
    struct place p = {.function = function_name(d, f.function)};
    if (f.file && f.line > 0) {
      p.file = place_shown(d->mem, f.file);
      p.line = (uint32_t)f.line;
      p.column = (uint32_t)f.column;
    }
    p.wrapper = is_wrapper(d, f.unit, f.function, f.file, f.line);
    use(self, at, &p);
    any = true;
  }
  inlined_close(&f);
  return any;
}

#else

bool debug_library(void) { return false; }
struct debug_info *debug_open(struct mem *m, const char *object, bool *no_library) {
  (void)m, (void)object;
  *no_library = true;
  return NULL;
}
void debug_close(struct debug_info *d) { (void)d; }
size_t debug_variables(struct debug_info *d, const struct variable **at) { return (void)d, (void)at, 0; }
bool debug_frames(struct debug_info *d, uintptr_t address, size_t at, frame_user *use, void *self) {
  return (void)d, (void)address, (void)at, (void)use, (void)self, false;
}
#endif
