/* A small history of intervals, and whether the exact checker's deciders accept it. Apart from the monitors, as what is
 * called a monitor there is something else. */
#ifndef ASIF_APPROX_ELEMENTS_SMALL_H
#define ASIF_APPROX_ELEMENTS_SMALL_H

#include "approx/count.h"
#include "spec/spec.h"

enum { SMALL_MOST = 1200 };
struct small {
  const struct spec *spec;
  unsigned k, count;
  struct op ops[SMALL_MOST]; /* without their events; process: the index */
  uint8_t from[SMALL_MOST], to[SMALL_MOST];
};
/* What cannot be decided with little memory is taken to hold: it is not a violation that was seen. */
bool small_holds(const struct small *);

#endif
