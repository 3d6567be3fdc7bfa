/* What addresses are called.
 *
 * A variable of static storage has its symbol's name, and its type says what lies where in it. To a block of the heap
 * there is a path: from a variable through pointers whose types are known, as memory is at that moment. Such a path is
 * an expression of C that has this address then; so it is never wrong, only sometimes not the one that the author
 * thinks of. The shortest is taken: from a variable of static storage if there is one, else from a variable of a
 * function that is running. A block without a path has its number, and a field if it is known what was allocated.
 *
 * What a block is, is known by the variable that the allocating call is assigned to, or by pointers to it that were
 * met. */
#include "test/naming.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
  DEREFS_MOST = CELLS_MOST,
  NODES_MOST = 4096,
  ELEMENTS_MOST = 64, /* of an array that a pointer leads to: those that are looked into */
  POINTERS_MOST = 4096,
  NAME_MOST = 50, /* characters of a type's name: else without its arguments */
  KEPT_IN_ALL = 1 << 24,
  ALLOCATIONS_MOST = 256,
  READS_KEPT = 16,
  MET = 4 * NODES_MOST,
  KEPT_MOST = 1 << 14 /* bytes of a block, of which it is known whether they were written */
};
#define WORK_MOST ((uint64_t)20000000) /* pointers looked at in all: after that there are no paths any more */

struct known_block {
  uint32_t number, life;
  uint32_t before; /* the same in an earlier life: its place + 1; 0: none */
  uint64_t size;
  bool array;
  const struct type *allocated, *reached; /* NULL: not known */
  const char *first;                      /* what was in it when it was allocated; NULL: not known */
  char *written;                          /* of each byte */
};

/* Something of a type at an address: a variable, or what a pointer leads to. */
struct node {
  const char *name; /* of a variable; NULL: a pointer in `parent` leads here */
  bool pointer;     /* it is the pointer that has the name */
  bool reference;   /* which is a reference */
  uint32_t parent;
  uint32_t derefs;
  uintptr_t cell; /* where that pointer is; 0: in a register */
  uintptr_t at;
  const struct type *type;
  uint64_t extent; /* bytes */
  bool array, live;
};

/* What a call allocates. */
struct allocation {
  uintptr_t pc;
  uint64_t size;
  const struct type *type;
};

struct root {
  const char *name;
  uintptr_t at;
  const struct type *type;
};

struct naming {
  struct mem *mem;
  struct debug_info *info;
  uintptr_t base;
  VEC(struct root) roots;
  VEC(struct known_block) blocks;
  VEC(uint32_t) newest; /* of each number: the place + 1 of its latest life; 0: none */
  VEC(struct allocation) allocations;
  size_t kept; /* bytes, for what was in blocks and whether it was written */
  struct node *nodes;
  size_t node_count;
  struct {
    uint64_t search;
    uint32_t node;
  } met[MET]; /* a hash table of the nodes; entries of other searches are none */
  uint64_t searches, work;
  struct stack_frames paused[FIBERS_MOST];
  struct {
    uintptr_t at[READS_KEPT];
    uint32_t count;
  } reads[FIBERS_MOST]; /* the pointers that each thread read last */
};

/* Blocks. */

static struct known_block *find_block(struct naming *n, uint32_t number, uint32_t life) {
  uint32_t i = number < n->newest.count ? n->newest.at[number] : 0;
  while (i && n->blocks.at[i - 1].life != life) i = n->blocks.at[i - 1].before;
  return i ? &n->blocks.at[i - 1] : NULL;
}

/* Once for each call: it takes reading the file. */
static const struct type *allocated_by(struct naming *n, uintptr_t pc, uint64_t size) {
  for (size_t i = 0; i < n->allocations.count; i++)
    if (n->allocations.at[i].pc == pc && n->allocations.at[i].size == size) return n->allocations.at[i].type;
  if (!n->info || n->allocations.count == ALLOCATIONS_MOST) return NULL;
  struct allocation a = {pc, size, debug_allocated(n->info, pc - n->base - 1, size)};
  vec_push(n->mem, &n->allocations, a);
  return a.type;
}

static struct known_block *know_block(struct naming *n, const struct run_block *b) {
  struct known_block *k = find_block(n, b->number, b->life);
  if (k) return k;
  struct known_block new = {.number = b->number, .life = b->life, .size = b->size, .array = b->array};
  if (b->size <= KEPT_MOST && n->kept + b->size <= KEPT_IN_ALL) {
    new.written = mem_zero(n->mem, b->size + 1, 1);
    n->kept += b->size;
  }
  new.allocated = allocated_by(n, b->alloc_pc, b->size);
  while (n->newest.count <= b->number) vec_push(n->mem, &n->newest, 0);
  new.before = n->newest.at[b->number];
  vec_push(n->mem, &n->blocks, new);
  n->newest.at[b->number] = (uint32_t)n->blocks.count;
  return &n->blocks.at[n->blocks.count - 1];
}

static bool is_complete(const struct type *t) { return t && t->size && t->kind != TYPE_OTHER; }

static void reach_block(struct naming *n, const struct run_block *b, const struct type *t) {
  struct known_block *k = know_block(n, b);
  if (!is_complete(t) || t->size > b->size) return;
  bool larger = !k->reached || (k->reached->size < t->size && !k->array);
  if (larger && (type_is_record(t) || !k->reached)) k->reached = t;
}

static const struct type *type_of_block(const struct known_block *k) {
  return k->allocated ? k->allocated : k->reached;
}

static bool points_to_own(void *self, uint64_t offset, const struct type *to) {
  (void)offset;
  return to != self;
}

/* Are there several of the type in a row? Not where a list goes through the first member of something larger. */
static bool is_row(const struct known_block *k, const struct type *t, uint64_t bytes) {
  if (!is_complete(t) || bytes < 2 * t->size || bytes % t->size) return false;
  if (k->allocated) return k->allocated == t;
  return k->array || type_pointers(t, POINTERS_MOST, points_to_own, (void *)(uintptr_t)t);
}

void naming_wrote(struct naming *n, uintptr_t address, uint64_t size) {
  struct run_block b;
  if (!run_block_at(address, &b)) return;
  struct known_block *k = know_block(n, &b);
  if (!k->written) return;
  uint64_t from = address - b.start;
  for (uint64_t i = from; i < from + size && i < k->size; i++) k->written[i] = 1;
}

static void keep_first(struct naming *n, uintptr_t address) {
  struct run_block b;
  if (!run_block_at(address, &b)) return;
  struct known_block *k = know_block(n, &b);
  if (k->written) k->first = mem_string(n->mem, (const char *)b.start, b.size);
}

/* Of a block that was allocated when the code was loaded: what came before the run is not known, but this is no
 * accident. */
static bool is_untouched(const void *read, uint32_t size) {
  const unsigned char *at = read;
  uint32_t i = 0;
  while (i < size && at[i] == RUN_FRESH) i++;
  return i == size && size >= 4;
}

bool naming_is_fresh(struct naming *n, uintptr_t address, const void *read, uint32_t size) {
  struct run_block b;
  if (!run_block_at(address, &b) || b.freed) return false;
  const struct known_block *k = know_block(n, &b);
  uint64_t from = address - b.start;
  if (!k->written || !size || from + size > k->size) return false;
  if (k->first ? memcmp(k->first + from, read, size) != 0 : !is_untouched(read, size)) return false;
  for (uint64_t i = from; i < from + size; i++)
    if (k->written[i]) return false;
  return true;
}

/* Expressions. */

static bool put_object(const struct naming *, uint32_t node, uint64_t offset, uint64_t size, struct text *,
                       struct field *);

/* The pointer that leads to a node. */
static bool put_pointer(const struct naming *n, uint32_t i, struct text *to) {
  const struct node *k = &n->nodes[i];
  struct field f;
  if (k->pointer) return text_add(to, k->name), true;
  return put_object(n, k->parent, k->cell - n->nodes[k->parent].at, sizeof(void *), to, &f);
}

/* std::vector and std::shared_ptr are used as if they were the pointer in them. */
static void drop_inner(struct text *t) {
  static const char *const inner[] = {"._M_start", "._M_ptr", ".__begin_", ".__ptr_"};
  for (size_t i = 0; i < sizeof inner / sizeof *inner; i++) {
    size_t length = strlen(inner[i]);
    if (t->count <= length || memcmp(t->at + t->count - length, inner[i], length) != 0) continue;
    t->count -= length;
    t->at[t->count] = '\0';
    return;
  }
}

static bool put_object(const struct naming *n, uint32_t i, uint64_t offset, uint64_t size, struct text *to,
                       struct field *f) {
  const struct node *k = &n->nodes[i];
  struct text field, pointer;
  text_open(&field, n->mem);
  text_open(&pointer, n->mem);
  uint64_t element = k->array ? offset / k->type->size : 0;
  uint64_t beyond = k->array ? k->type->size : k->extent;
  *f = field_put(k->type, offset - element * k->type->size, size, beyond, &field);
  const char *s = text_string(&field);
  if (f->offset) return false;
  if (k->name && (!k->pointer || (k->reference && !k->array))) {
    text_printf(to, "%s%s", k->name, s);
    return true;
  }
  if (!put_pointer(n, i, &pointer)) return false;
  drop_inner(&pointer);
  const char *p = text_string(&pointer);
  bool star = *p == '*';
  if (k->array)
    text_printf(to, star ? "(%s)[%" PRIu64 "]%s" : "%s[%" PRIu64 "]%s", p, element, s);
  else if (*s == '.')
    text_printf(to, star ? "(%s)->%s" : "%s->%s", p, s + 1);
  else if (*s == '[')
    text_printf(to, "(*%s)%s", p, s);
  else
    text_printf(to, "*%s", p);
  return true;
}

/* Searching. */

struct searching {
  struct naming *n;
  uintptr_t address; /* what a path is looked for to; 0: to nothing */
  uint32_t node;     /* the one whose pointers are looked at */
  uintptr_t at;      /* of what is looked into */
  unsigned fiber;    /* who accesses it; FIBERS_MOST: nobody */
  uint32_t found;    /* UINT32_MAX: none yet */
  uint32_t recent;   /* how recently the thread read the pointer that leads there; 0: not at all */
  bool own;          /* nothing but what the variables themselves are */
};

static void begin(struct searching *k) {
  k->n->searches++;
  k->n->node_count = 0;
  k->found = UINT32_MAX;
  k->recent = 0;
}

static uint32_t recency(const struct naming *n, unsigned fiber, uintptr_t cell) {
  if (fiber >= FIBERS_MOST || !cell) return 0;
  uint32_t count = n->reads[fiber].count;
  for (uint32_t i = 0; i < READS_KEPT && i < count; i++)
    if (n->reads[fiber].at[(count - 1 - i) % READS_KEPT] == cell) return READS_KEPT - i;
  return 0;
}

void naming_read(struct naming *n, unsigned fiber, uintptr_t address) {
  if (fiber < FIBERS_MOST) n->reads[fiber].at[n->reads[fiber].count++ % READS_KEPT] = address;
}

/* Of several paths that which the thread has gone itself: it read the last pointer. Else the shortest, which comes
 * first. */
static bool is_better(const struct searching *k, const struct node *node) {
  return k->found == UINT32_MAX || recency(k->n, k->fiber, node->cell) > k->recent;
}

static bool is_met(struct naming *n, uintptr_t at, const struct type *type) {
  size_t i = ((at ^ (uintptr_t)type << 7) * 0x9e3779b97f4a7c15u) >> 32 & (MET - 1);
  for (; n->met[i].search == n->searches; i = (i + 1) & (MET - 1)) {
    const struct node *k = &n->nodes[n->met[i].node];
    if (k->at == at && k->type == type) return true;
  }
  n->met[i].search = n->searches;
  n->met[i].node = (uint32_t)n->node_count; /* the next one */
  return false;
}

/* False: there is no room for more. */
static bool add_node(struct searching *k, struct node node) {
  struct naming *n = k->n;
  if (n->node_count == NODES_MOST) return false;
  bool covers = k->address - node.at < node.extent && is_better(k, &node);
  if (is_met(n, node.at, node.type) && !covers) return true;
  n->nodes[n->node_count++] = node;
  if (!covers) return true;
  k->found = (uint32_t)n->node_count - 1;
  k->recent = recency(n, k->fiber, node.cell);
  return true;
}

/* A pointer to something of a type: if it leads to a block there is one more node. */
static bool follow(struct searching *k, uintptr_t pointer, const struct type *to, struct node node) {
  struct run_block b;
  if (!run_block_at(pointer, &b)) {
    if (pointer & 7 && run_block_at(pointer & ~(uintptr_t)7, &b) && (pointer & ~(uintptr_t)7) == b.start && !b.freed)
      reach_block(k->n, &b, to); /* with marks in the lower bits: no path */
    return true;
  }
  if (pointer < b.start || pointer - b.start >= b.size) return true;
  if (pointer & 7 && to && type_is_record(to) && (pointer & ~(uintptr_t)7) == b.start) {
    if (!b.freed) reach_block(k->n, &b, to);
    return true;
  }
  struct known_block *known = know_block(k->n, &b);
  if (!is_complete(to) && pointer == b.start && !b.freed) to = known->allocated; /* void * */
  if (!is_complete(to) || to->size > b.size - (pointer - b.start)) return true;
  if (pointer == b.start && !b.freed) reach_block(k->n, &b, to);
  node.at = pointer;
  node.type = to;
  node.live = !b.freed;
  uint64_t rest = b.size - (pointer - b.start);
  known = know_block(k->n, &b);
  const struct type *flexible = type_flexible(to);
  bool single = flexible && !flexible->count; /* what ends with an array of any length stands alone */
  /* From within, only where it is known that there are several of them. */
  node.array = !single && is_row(known, to, rest) && (pointer == b.start || known->array || known->allocated == to);
  node.extent = node.array || flexible ? rest : to->size;
  return add_node(k, node);
}

static bool look_at_pointer(void *self, uint64_t offset, const struct type *to) {
  struct searching *k = self;
  uintptr_t cell = k->at + offset, pointer;
  if (k->n->work++ > WORK_MOST) return false;
  memcpy(&pointer, (const void *)cell, sizeof pointer);
  if (!pointer) return true;
  return follow(k, pointer, to,
                (struct node){.parent = k->node, .cell = cell, .derefs = k->n->nodes[k->node].derefs + 1});
}

static void search(struct searching *k, uint32_t from) {
  struct naming *n = k->n;
  for (uint32_t i = from; i < n->node_count; i++) {
    const struct node node = n->nodes[i];
    if (node.derefs >= DEREFS_MOST || !node.live) continue;
    uint64_t elements = node.array ? node.extent / node.type->size : 1;
    for (uint64_t e = 0; e < elements && e < ELEMENTS_MOST; e++) {
      k->node = i;
      k->at = node.at + e * node.type->size;
      if (!type_pointers(node.type, POINTERS_MOST, look_at_pointer, k)) break;
    }
  }
}

static void search_from_roots(struct searching *k) {
  struct naming *n = k->n;
  begin(k);
  for (size_t i = 0; i < n->roots.count && n->node_count < NODES_MOST; i++) {
    const struct root *r = &n->roots.at[i];
    n->nodes[n->node_count++] =
        (struct node){.name = r->name, .at = r->at, .type = r->type, .extent = r->type->size, .live = true};
  }
  search(k, 0);
}

static void add_local(void *self, const struct local *l) {
  struct searching *k = self;
  unsigned fiber;
  uintptr_t pointer = l->value;
  if (k->found != UINT32_MAX || !l->type || !l->type->size || k->n->node_count == NODES_MOST) return;
  bool there = !l->in_register && run_stack_at(l->value, &fiber) && run_stack_at(l->value + l->type->size - 1, &fiber);
  if (!l->in_register && !there) return;
  if (l->type->kind != TYPE_POINTER) {
    if (there)
      add_node(k,
               (struct node){.name = l->name, .at = pointer, .type = l->type, .extent = l->type->size, .live = true});
    return;
  }
  if (there && k->own) {
    add_node(k, (struct node){.name = l->name, .at = pointer, .type = l->type, .extent = l->type->size, .live = true});
    return;
  }
  if (l->type->reference && !type_is_record(l->type->to)) return; /* the argument of some small function */
  if (there) memcpy(&pointer, (const void *)l->value, sizeof pointer);
  if (pointer)
    follow(k, pointer, l->type->to,
           (struct node){.name = l->name, .pointer = true, .reference = l->type->reference, .derefs = 1});
}

static void search_from_locals(struct searching *k, const struct stack_frames *frames) {
  struct naming *n = k->n;
  begin(k);
  for (size_t i = 0; i < frames->count && k->found == UINT32_MAX; i++) {
    size_t from = n->node_count;
    debug_locals(n->info, &frames->at[i], add_local, k);
    if (k->found == UINT32_MAX && !k->own) search(k, (uint32_t)from);
  }
}

/* Names. */

static bool put_path(struct searching *k, struct named *to) {
  struct naming *n = k->n;
  struct text t;
  struct field f;
  if (k->found == UINT32_MAX) return false;
  text_open(&t, n->mem);
  const struct node *node = &n->nodes[k->found];
  if (!put_object(n, k->found, k->address - node->at, to->size, &t, &f)) return false;
  to->path = text_string(&t);
  to->type = f.type;
  to->cell_count = 0;
  uint32_t i = k->found;
  for (; !n->nodes[i].name; i = n->nodes[i].parent)
    if (to->cell_count < CELLS_MOST) to->cells[to->cell_count++] = n->nodes[i].cell;
  if (n->nodes[i].pointer && to->cell_count < CELLS_MOST) to->cells[to->cell_count++] = 0;
  return true;
}

static const struct variable *find_variable(struct naming *n, uintptr_t address, bool thread_local_) {
  const struct variable *v;
  size_t count = n->info ? debug_variables(n->info, &v) : 0;
  const struct variable *found = NULL;
  for (size_t i = 0; i < count; i++) {
    uint64_t size = v[i].type ? v[i].type->size : 0;
    if (v[i].thread_local_ == thread_local_ && address - v[i].address < size) found = &v[i];
  }
  return found;
}

static void name_variable(struct naming *n, const struct run_variable *symbol, uintptr_t address, struct named *to) {
  const struct variable *v = find_variable(n, symbol->start - n->base, false);
  struct text t;
  text_open(&t, n->mem);
  size_t length = strcspn(symbol->name, "."); /* the compiler numbers static variables of functions: count.0 */
  text_bytes(&t, symbol->name, length ? length : strlen(symbol->name));
  uint64_t offset = address - symbol->start;
  if (v && v->address == symbol->start - n->base)
    to->type = field_put(v->type, offset, to->size, symbol->size, &t).type;
  else if (offset)
    text_printf(&t, " + %" PRIu64, offset);
  to->path = text_string(&t);
}

static void put_thread(struct text *t, unsigned fiber) {
  if (fiber < 26)
    text_printf(t, " of thread %c", 'A' + (int)fiber);
  else
    text_printf(t, " of thread T%u", fiber);
}

static bool name_thread_local(struct naming *n, unsigned fiber, uintptr_t offset, struct named *to) {
  const struct variable *v = find_variable(n, offset, true);
  struct text t;
  if (!v) return false;
  text_open(&t, n->mem);
  text_printf(&t, "thread-local %s", v->name);
  to->type = field_put(v->type, offset - v->address, to->size, v->type->size, &t).type;
  put_thread(&t, fiber);
  to->path = text_string(&t);
  return true;
}

/* A variable of a function that is running, in memory. */
static bool name_local(struct naming *n, uintptr_t address, unsigned fiber, const struct stack_frames *frames,
                       struct named *to) {
  struct searching k = {.n = n, .address = address, .fiber = FIBERS_MOST, .own = true};
  search_from_locals(&k, frames);
  if (!put_path(&k, to)) return false;
  struct text t;
  text_open(&t, n->mem);
  text_add(&t, to->path);
  put_thread(&t, fiber);
  to->path = text_string(&t);
  return true;
}

static void name_in_block(struct naming *n, const struct run_block *b, uintptr_t address,
                          const struct stack_frames *frames, unsigned fiber, struct named *to) {
  to->block = b->number;
  to->life = b->life;
  to->offset = address - b->start;
  to->freed = b->freed;
  know_block(n, b);
  if (!n->info || n->work > WORK_MOST) return;
  struct searching k = {.n = n, .address = address, .fiber = fiber};
  search_from_roots(&k);
  if (put_path(&k, to) && (to->cell_count <= 2 || k.recent || !frames)) return;
  if (!frames) return;
  struct named other = *to;
  search_from_locals(&k, frames);
  if (put_path(&k, &other) && (!to->path || other.cell_count < to->cell_count)) *to = other;
}

static struct named name_address(struct naming *n, uintptr_t address, uint64_t size, const struct stack_frames *frames,
                                 unsigned fiber) {
  struct named to = {.size = size};
  struct run_block b;
  struct run_variable v;
  uintptr_t offset;
  unsigned whose;
  struct text t;
  if (run_block_at(address, &b)) {
    name_in_block(n, &b, address, frames, fiber, &to);
    return to;
  }
  if (run_storage_at(address, &whose, &offset)) {
    if (name_thread_local(n, whose, offset, &to)) return to;
  } else if (run_stack_at(address, &whose)) {
    if (n->info && whose < FIBERS_MOST &&
        name_local(n, address, whose, whose == fiber && frames ? frames : &n->paused[whose], &to))
      return to;
  } else if (run_variable_at(address, &v)) {
    name_variable(n, &v, address, &to);
    return to;
  }
  text_open(&t, n->mem);
  run_name_address(address, &t);
  to.path = text_string(&t);
  return to;
}

struct named naming_address(struct naming *n, uintptr_t address, uint64_t size) {
  return name_address(n, address, size, NULL, FIBERS_MOST);
}

struct named naming_access(struct naming *n, enum point_kind kind, uintptr_t address, uint32_t size, unsigned fiber,
                           const struct stack_frames *frames) {
  struct run_block b;
  switch (kind) {
  case POINT_READ:
  case POINT_WRITE:
  case POINT_UPDATE: return name_address(n, address, size, frames, fiber);
  case POINT_ALLOC:
  case POINT_FREE:
    if (kind == POINT_ALLOC) keep_first(n, address);
    if (!run_block_at(address, &b)) return name_address(n, address, FIELD_POINTED, NULL, fiber);
    know_block(n, &b);
    return (struct named){
        .block = b.number, .life = b.life, .offset = address - b.start, .size = FIELD_POINTED, .freed = b.freed};
  default: return name_address(n, address, FIELD_SYNC, frames, fiber);
  }
}

bool naming_pointer(struct naming *n, uintptr_t pointer, struct named *to) {
  struct run_block b;
  struct text t;
  *to = (struct named){.size = FIELD_POINTED};
  if (run_block_at(pointer, &b)) {
    know_block(n, &b);
    to->block = b.number;
    to->life = b.life;
    to->offset = pointer - b.start;
    return true;
  }
  text_open(&t, n->mem);
  if (!run_name_address(pointer, &t)) return false;
  *to = name_address(n, pointer, FIELD_POINTED, NULL, FIBERS_MOST);
  return true;
}

void naming_paused(struct naming *n, unsigned fiber, const struct stack_frames *frames) {
  if (fiber < FIBERS_MOST) n->paused[fiber] = *frames;
}

/* Telling. */

static const struct known_block *known_of(struct naming *n, const struct named *k) {
  return k->block ? find_block(n, k->block, k->life) : NULL;
}

bool named_put_block(struct naming *n, const struct named *k, struct text *to) {
  const struct known_block *b = known_of(n, k);
  if (!k->block) return false;
  text_printf(to, "block %u", (unsigned)k->block);
  const struct type *t = b ? type_of_block(b) : NULL;
  uint64_t offset = k->offset;
  if (is_complete(t) && k->size != FIELD_POINTED) {
    struct text field;
    text_open(&field, n->mem);
    uint64_t element = is_row(b, t, b->size) ? offset / t->size : 0;
    bool row = is_row(b, t, b->size);
    struct field f = field_put(t, offset - element * t->size, k->size, row ? t->size : b->size, &field);
    if (!f.offset) {
      if (row) text_printf(to, "[%" PRIu64 "]", element);
      text_add(to, text_string(&field));
      return true;
    }
  } else if (is_complete(t) && offset) { /* what is pointed to */
    struct text field;
    text_open(&field, n->mem);
    bool row = is_row(b, t, b->size);
    uint64_t element = row ? offset / t->size : 0;
    if (!field_put(t, offset - element * t->size, FIELD_POINTED, row ? t->size : b->size, &field).offset) {
      if (row) text_printf(to, "[%" PRIu64 "]", element);
      text_add(to, text_string(&field));
      return true;
    }
  }
  if (offset) text_printf(to, " + %" PRIu64, offset);
  return true;
}

unsigned named_marks(struct naming *n, struct named *k) {
  const struct known_block *b = known_of(n, k);
  const struct type *t = b ? type_of_block(b) : NULL;
  unsigned marks = k->offset & 7;
  struct text field;
  if (!marks || !type_is_record(t) || t->size % 8) return 0;
  text_open(&field, n->mem);
  if (!field_put(t, k->offset % t->size, FIELD_POINTED, t->size, &field).offset) return 0; /* something begins there */
  k->offset -= marks;
  return marks;
}

const struct type *named_type(struct naming *n, const struct named *k) {
  const struct known_block *b = known_of(n, k);
  const struct type *t = b ? type_of_block(b) : NULL;
  if (k->type || !is_complete(t)) return k->type;
  struct text field;
  text_open(&field, n->mem);
  bool row = is_row(b, t, b->size);
  uint64_t element = row ? k->offset / t->size : 0;
  struct field f = field_put(t, k->offset - element * t->size, k->size, row ? t->size : b->size, &field);
  return f.offset ? NULL : f.type;
}

void named_put(struct naming *n, const struct named *k, cell_changes *changes, void *self, struct text *to) {
  if (!k->path) {
    named_put_block(n, k, to);
    if (k->freed && k->block) text_add(to, " (freed)");
    return;
  }
  text_add(to, k->path);
  bool changed = false;
  for (unsigned i = 0; i < k->cell_count; i++) changed |= !k->cells[i] || changes(self, k->cells[i]);
  if (!k->block || (!changed && !k->freed)) return;
  text_printf(to, " (block %u%s)", (unsigned)k->block, k->freed ? ", freed" : "");
}

const char *block_type_name(struct naming *n, uint32_t number, uint32_t life) {
  const struct known_block *b = find_block(n, number, life);
  const struct type *t = b ? type_of_block(b) : NULL;
  struct text text;
  if (!is_complete(t) || !t->name) return NULL;
  if (!b->allocated && t->size != b->size && !is_row(b, t, b->size)) return NULL; /* it may be a part of it */
  text_open(&text, n->mem);
  size_t length = strlen(t->name), short_ = strcspn(t->name, "<");
  text_bytes(&text, t->name, length > NAME_MOST && short_ < length ? short_ : length);
  if (length > NAME_MOST && short_ < length) text_add(&text, "<...>");
  if (is_row(b, t, b->size)) text_printf(&text, "[%" PRIu64 "]", b->size / t->size);
  return text_string(&text);
}

/* The variables that paths begin with. Those of the system's headers are nobody's own. */
static void find_roots(struct naming *n) {
  const struct variable *v;
  size_t count = debug_variables(n->info, &v);
  for (size_t i = 0; i < count; i++) {
    struct run_variable symbol;
    uintptr_t at = n->base + v[i].address;
    if (v[i].thread_local_ || v[i].system || !v[i].type || !v[i].type->size) continue;
    if (!run_variable_at(at, &symbol) || symbol.start != at || symbol.size < v[i].type->size) continue;
    if (n->roots.count && n->roots.at[n->roots.count - 1].at == at) continue;
    size_t length = strcspn(symbol.name, ".");
    struct root r = {.name = mem_string(n->mem, symbol.name, length ? length : strlen(symbol.name)), .at = at};
    r.type = v[i].type;
    if (n->roots.count < NODES_MOST / 2) vec_push(n->mem, &n->roots, r);
  }
}

struct naming *naming_open(struct mem *m, struct debug_info *info, uintptr_t base) {
  struct naming *n = mem_zero(m, 1, sizeof *n);
  n->mem = m;
  n->info = info;
  n->base = base;
  n->nodes = mem_alloc(m, NODES_MOST * sizeof *n->nodes);
  if (info) find_roots(n);
  return n;
}
