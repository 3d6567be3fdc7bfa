/* Plots: see plot.h. */
#include "plot.h"

#include <math.h>
#include <stdio.h>

enum { LEFT = 80, RIGHT = 190, TOP = 40, BELOW = 70, HIGH = 360, STEP_LEAST = 24, WIDE_LEAST = 480 };
static const char *const colors[PLOT_SERIES] = {"#1b6ca8", "#c0392b", "#1e8449", "#7d3c98", "#b9770e",
                                                "#117a65", "#5d6d7e", "#a04000", "#2e4053", "#884ea0"};

static void range_of(const struct plot *p, int *low, int *high) {
  double least = INFINITY, most = 0;
  for (unsigned s = 0; s < p->series; s++)
    for (unsigned i = 0; i < p->points; i++) {
      double y = p->at[s][i];
      if (y <= 0) continue;
      if (y < least) least = y;
      if (y > most) most = y;
    }
  *low = most > 0 ? (int)floor(log10(least)) : 0;
  *high = most > 0 ? (int)ceil(log10(most)) : 1;
  if (*high == *low) ++*high;
}

static double x_of(const struct plot *p, double step, unsigned i) {
  return LEFT + step * (p->points > 1 ? i + 0.5 : 0.5);
}
static double y_of(double y, int low, int high) { return TOP + HIGH * (high - log10(y)) / (high - low); }

static void put_axes(const struct plot *p, FILE *f, double step, double wide, int low, int high) {
  for (int d = low; d <= high; d++) {
    double y = y_of(pow(10, d), low, high);
    fprintf(f, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n", LEFT, y, LEFT + wide, y);
    fprintf(f, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 8, y + 4);
    fprintf(f, d >= 0 && d <= 4 ? "%.0f</text>\n" : d < 0 && d > -4 ? "%g</text>\n" : "%.0e</text>\n", pow(10, d));
  }
  for (unsigned i = 0; i < p->points; i++)
    fprintf(f, "<text transform=\"translate(%.1f %d) rotate(-45)\" text-anchor=\"end\">%s</text>\n",
            x_of(p, step, i) + 4, TOP + HIGH + 16, p->label[i]);
  fprintf(f, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", LEFT + wide / 2, TOP + HIGH + BELOW - 6,
          p->x_title);
  fprintf(f, "<text transform=\"translate(18 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n", TOP + HIGH / 2,
          p->y_title);
}

static void put_series(const struct plot *p, FILE *f, double step, double wide, unsigned s, int low, int high) {
  const char *color = colors[s];
  bool joined = false;
  fprintf(f, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" d=\"", color);
  for (unsigned i = 0; i < p->points; i++) {
    double y = p->at[s][i];
    if (y > 0) fprintf(f, "%s%.1f %.1f", joined ? "L" : "M", x_of(p, step, i), y_of(y, low, high));
    joined = y > 0;
  }
  fprintf(f, "\"/>\n");
  double radius = 2.5 + 0.7 * (p->series - 1 - s); /* where points of several series coincide, all are seen */
  for (unsigned i = 0; i < p->points; i++)
    if (p->at[s][i] > 0)
      fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\"/>\n", x_of(p, step, i),
              y_of(p->at[s][i], low, high), radius, color);
  fprintf(f, "<circle cx=\"%.1f\" cy=\"%u\" r=\"4\" fill=\"%s\"/><text x=\"%.1f\" y=\"%u\">%s</text>\n",
          LEFT + wide + 20, TOP + 10 + 20 * s, color, LEFT + wide + 30, TOP + 14 + 20 * s, p->name[s]);
}

bool plot_write(const struct plot *p, const char *path) {
  FILE *f = fopen(path, "w");
  int low, high;
  if (!f) return false;
  double step = p->points && WIDE_LEAST / p->points > STEP_LEAST ? (double)WIDE_LEAST / p->points : STEP_LEAST,
         wide = step * p->points;
  range_of(p, &low, &high);
  fprintf(f,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%d\" font-family=\"sans-serif\" "
          "font-size=\"12\">\n",
          LEFT + wide + RIGHT, TOP + HIGH + BELOW);
  fprintf(
      f,
      "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<text x=\"%d\" y=\"22\" font-size=\"14\">%s</text>\n",
      LEFT, p->title);
  put_axes(p, f, step, wide, low, high);
  for (unsigned s = 0; s < p->series; s++) put_series(p, f, step, wide, s, low, high);
  fprintf(f, "</svg>\n");
  return fclose(f) == 0;
}
