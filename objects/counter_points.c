/* The counter with its linearization points marked: section 3.3 of Liu et al. (2013). See counter.c. */
#define POINTS
#include "counter.c"
