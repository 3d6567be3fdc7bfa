/* What the built-in specifications share: states that are arrays of 32-bit words, and ways to derive one from another.
 */
#ifndef ASIF_SPEC_COMMON_H
#define ASIF_SPEC_COMMON_H

#include <assert.h>
#include <string.h>

#include "spec/spec.h"

static inline const uint32_t *state_words(struct state s, uint32_t *count) {
  *count = s.size / 4;
  return s.at;
}

static inline uint32_t *add_words(struct outcomes *out, value result, uint32_t count) {
  return outcomes_add(out, result, count * 4);
}

/* memcpy of no bytes is allowed from anywhere, NULL too. */
static inline void copy_words(uint32_t *to, const uint32_t *from, uint32_t count) {
  if (count) memcpy(to, from, (size_t)count * 4);
}

/* The same state again. */
static inline void outcome_same(struct outcomes *out, struct state s, value result) {
  void *to = outcomes_add(out, result, s.size);
  if (s.size) memcpy(to, s.at, s.size);
}

/* The state with `more` words put in before word `at`; returns where they go. */
static inline uint32_t *outcome_insert(struct outcomes *out, struct state s, value result, uint32_t at, uint32_t more) {
  uint32_t n;
  const uint32_t *w = state_words(s, &n);
  uint32_t *to = add_words(out, result, n + more);
  copy_words(to, w, at);
  copy_words(to + at + more, w + at, n - at);
  return to + at;
}

/* The state without the `less` words from word `at` on. */
static inline uint32_t *outcome_remove(struct outcomes *out, struct state s, value result, uint32_t at, uint32_t less) {
  uint32_t n;
  const uint32_t *w = state_words(s, &n);
  uint32_t *to = add_words(out, result, n - less);
  copy_words(to, w, at);
  copy_words(to + at, w + at + less, n - at - less);
  return to;
}

/* Drops the outcome added last if one since `from` equals it: step gives each outcome once. */
static inline void outcomes_distinct(struct outcomes *out, size_t from) {
  size_t last = out->list.count - 1;
  const struct outcome *x = &out->list.at[last];
  for (size_t i = from; i < last; i++) {
    const struct outcome *y = &out->list.at[i];
    if (y->result == x->result && y->size == x->size &&
        (!x->size || !memcmp(out->bytes.at + x->offset, out->bytes.at + y->offset, x->size))) {
      out->bytes.count = x->offset;
      out->list.count = last;
      return;
    }
  }
}

/* The one initial state of most: no bytes, or `size` bytes of zero. */
static inline void init_empty(const struct spec *s, struct outcomes *out) {
  (void)s;
  outcomes_add(out, V_NONE, 0);
}

/* Elements of a state that is nothing but words, one each. */
uint32_t elements_words(const struct spec *, struct state);

/* "[5 7]": words at, at+stride, ... as values, between two brackets. */
void print_values(const struct spec *, struct state, uint32_t from, uint32_t stride, const char *brackets,
                  struct text *);

/* Comparing words as names: without case, '-' and '_' not counted. */
bool same_name(const char *a, size_t alen, const char *b, size_t blen);
/* Next word of a list separated by blanks, from *list on; NULL at the end. */
const char *next_word(const char **list, size_t *len);
/* Is the name among the words of the list? */
bool in_words(const char *list, const char *name, size_t len);

extern const struct spec spec_register, spec_cas_register, spec_counter, spec_stack, spec_weak_stack, spec_queue,
    spec_weak_queue, spec_bounded_queue, spec_deque, spec_priority_queue, spec_max_priority_queue,
    spec_bounded_priority_queue, spec_set, spec_multiset, spec_map, spec_lock, spec_rw_lock, spec_semaphore,
    spec_semiqueue, spec_stuttering_queue, spec_k_fifo, spec_producer_fifo, spec_snzi, spec_mailbox,
    spec_weak_bounded_queue, spec_bounded_stack, spec_weak_producer_fifo, spec_bag, spec_weak_bag,
    spec_work_stealing_deque, spec_weak_work_stealing_deque, spec_latch, spec_once, spec_upgrade_lock, spec_hash_map,
    spec_ordered_map;

/* Machines (machine_*.c), named by what they hold. */
void *machine_ring_new(const struct spec *, struct mem *);
bool machine_queue_apply(void *, const struct op *);
bool machine_stack_apply(void *, const struct op *);
bool machine_deque_apply(void *, const struct op *);
void *machine_heap_new(const struct spec *, struct mem *);
bool machine_heap_apply(void *, const struct op *);
void *machine_table_new(const struct spec *, struct mem *);
bool machine_set_apply(void *, const struct op *);
bool machine_multiset_apply(void *, const struct op *);
void *machine_map_new(const struct spec *, struct mem *);
bool machine_map_apply(void *, const struct op *);
void *machine_cell_new(const struct spec *, struct mem *);
bool machine_register_apply(void *, const struct op *);
bool machine_counter_apply(void *, const struct op *);

#endif
