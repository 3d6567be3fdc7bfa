/* Images for tests of the runtime: compiled as `asif test` does, loaded, and run under all schedules. */
#ifndef ASIF_TESTS_IMAGES_H
#define ASIF_TESTS_IMAGES_H

#include "run/run.h"

/* Compiles a source (.c, or .cc: skips the test where there is no C++ compiler), links and loads it. Fails the test if
 * that fails. */
struct image *image_of(struct mem *, const char *source, const char *flags);

/* A client of one call a thread, without arguments: functions NAME_0, NAME_1, ... of the image, or NAME alone. Init:
 * NAME_init. */
struct scene {
  const char *name;
  struct run_options options;
  unsigned threads;
  struct image_op ops[4];
  struct client client;
  uint32_t first[5];
  struct call calls[4];
};
void scene_open(struct scene *, struct image *, const char *name, const struct run_options *);

/* Runs all schedules (of steps and blocks), up to so many, smallest deviation last. visit: NULL, or after each; false
 * ends it. The number of those run. */
size_t scene_all(const struct client *, size_t most, bool (*visit)(void *, const struct run *), void *context);

#endif
