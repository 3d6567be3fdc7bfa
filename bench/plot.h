/* Plots as SVG: lines and points over a row of cases, with a logarithmic scale. */
#ifndef ASIF_BENCH_PLOT_H
#define ASIF_BENCH_PLOT_H

#include <stdbool.h>

enum { PLOT_SERIES = 10, PLOT_POINTS = 64 };

struct plot {
  const char *title, *x_title, *y_title;
  unsigned series, points;
  const char *name[PLOT_SERIES];
  char label[PLOT_POINTS][24];         /* under each point */
  double at[PLOT_SERIES][PLOT_POINTS]; /* 0 or less: there is none */
};
bool plot_write(const struct plot *, const char *path);

#endif
