/* What addresses are called, as the source has it: found out while the run is made, at each access (naming.c). */
#ifndef ASIF_TEST_NAMING_H
#define ASIF_TEST_NAMING_H

#include "test/debug_info.h"

enum { FRAMES_MOST = 12, CELLS_MOST = 3 };

/* The functions that are running, the innermost first. */
struct stack_frames {
  size_t count;
  struct machine_frame at[FRAMES_MOST];
};
void stack_walk(uintptr_t base, struct stack_frames *); /* unwind.c; base: where the image is loaded */
bool stack_can_be_walked(void);

/* An address at a moment. */
struct named {
  const char *path;        /* "q->tail->next", "slots[3].seq"; NULL: none, or of a block not known */
  const struct type *type; /* of what is there; NULL: not known */
  uint32_t block, life;    /* block 0: not in a block of the heap */
  uint64_t offset, size;   /* in the block; and how much is accessed: FIELD_POINTED, ... */
  bool freed;
  unsigned cell_count; /* the pointers that the path goes through; 0: a variable of a function */
  uintptr_t cells[CELLS_MOST];
};

struct naming;
struct naming *naming_open(struct mem *, struct debug_info *, uintptr_t base); /* debug_info: NULL for none */
/* An access of the thread that runs, with the functions that are running. */
struct named naming_access(struct naming *, enum point_kind, uintptr_t address, uint32_t size, unsigned fiber,
                           const struct stack_frames *);
struct named naming_address(struct naming *, uintptr_t address,
                            uint64_t size);                              /* by variables of static storage alone */
bool naming_pointer(struct naming *, uintptr_t pointer, struct named *); /* what a value points to; false: nothing */
void naming_paused(struct naming *, unsigned fiber, const struct stack_frames *); /* where a thread stops */
void naming_read(struct naming *, unsigned fiber, uintptr_t address);             /* ... has read a pointer */
/* Was nothing written there since the block was allocated, before this was read? */
bool naming_is_fresh(struct naming *, uintptr_t address, const void *read, uint32_t size);
void naming_wrote(struct naming *, uintptr_t address, uint64_t size);
/* After the run, with all that is known by then: "q->tail->next (block 2)", "block 2.next". cell_changes: whether a
 * pointer ever changed: if none of the path did, the path says it all. */
typedef bool cell_changes(void *self, uintptr_t cell);
void named_put(struct naming *, const struct named *, cell_changes *, void *self, struct text *);
/* The same without a path: "block 2.next". False: it is none of a block. */
bool named_put_block(struct naming *, const struct named *, struct text *);
/* Of what a pointer points to: if nothing is there, the lower bits are marks, and are taken away. */
unsigned named_marks(struct naming *, struct named *);
const struct type *named_type(struct naming *, const struct named *);
/* "struct node", "struct slot[4]"; NULL: not known. */
const char *block_type_name(struct naming *, uint32_t block, uint32_t life);

#endif
