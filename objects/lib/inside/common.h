/* What the objects of this folder share among themselves; not installed. */
#ifndef ASIF_OBJECTS_INSIDE_H
#define ASIF_OBJECTS_INSIDE_H

#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { CACHE_LINE = 64 };

/* Where the calling thread begins to look for a place of its own among several: a different number for different threads most of
 * the time, and always the same for the same one. It is made of the address of a thread-local variable, so that threads need
 * not be counted: a counter would be one place where all of them meet. Where threads have numbers (harness/harness.h), those. */
static inline unsigned thread_hint(void) {
#ifdef THREAD_NUMBER
  return (unsigned)THREAD_NUMBER;
#else
  static _Thread_local char mine;
  return (unsigned)((uint64_t)(uintptr_t)&mine * 0x9e3779b97f4a7c15u >> 33);
#endif
}

/* The bytes of a head with `count` elements behind it; 0 if there are none or too many: no object has none. */
static inline size_t array_bytes(size_t head, size_t count, size_t each) {
  const size_t most = PTRDIFF_MAX - CACHE_LINE;
  return count == 0 || count > (most - head) / each ? 0 : head + count * each;
}

/* Memory for that; NULL if there is none. */
static inline void *alloc_array(size_t head, size_t count, size_t each) {
  size_t bytes = array_bytes(head, count, each);
  return bytes ? malloc(bytes) : NULL;
}

/* The same, at the beginning of a cache line. */
static inline void *alloc_aligned(size_t head, size_t count, size_t each) {
  size_t bytes = array_bytes(head, count, each);
  return bytes ? aligned_alloc(CACHE_LINE, (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE) : NULL;
}

/* In a loop that can go on only after another thread has done something. */
static inline void wait_a_moment(void) { sched_yield(); }

#endif
