/* A view as a picture: boxes for nodes, arrows for what leads to what; SVG whose colours the page gives. */
#include <string.h>

#include "prove/prover.h"

enum { BOX_LEAST = 62, GAP = 34, LINE = 15, PAD = 7, ROW_GAP = 20, NAMES = 16, CHAR = 8, LEFT_LEAST = 20 }; /* pixels */
enum { ROWS_MOST = ROOTS_MOST + REGS_MOST + NODES_MOST };

struct spot {
  int row, column;
};
struct line_of { /* a row: what leads to its first node */
  char name[40];
  val to;
  bool own; /* a variable of the thread's */
};
struct picture {
  const struct prover *p;
  const struct view *v;
  struct text *t;
  struct spot at[NODES_MOST]; /* row -1: not placed */
  struct line_of row[ROWS_MOST];
  int rows, columns;
  int top[ROWS_MOST + 1], left, box; /* where rows begin, and nodes; how wide boxes are */
  char names[NODES_MOST][320];       /* what else leads to a node, above its box; with its colours */
};

static int link_of(const struct picture *c, unsigned n) { return c->p->link[c->v->node[n].layout]; }

static void add_name(struct picture *c, unsigned n, const char *name, bool own) {
  char *to = c->names[n];
  size_t used = strlen(to);
  if (used + strlen(name) + 40 > sizeof c->names[n]) return;
  snprintf(to + used, sizeof c->names[n] - used, "%s<tspan class=\"%c\">%s</tspan>", used ? ", " : "", own ? 'v' : 'r',
           name);
}

/* A row for what the name leads to, unless it is drawn already. */
static void place_chain(struct picture *c, const char *name, val a, bool own) {
  if (KIND(a) == K_NODE && c->at[INDEX(a)].row >= 0) {
    add_name(c, INDEX(a), name, own);
    return;
  }
  if (c->rows == ROWS_MOST) return;
  struct line_of *r = &c->row[c->rows];
  snprintf(r->name, sizeof r->name, "%s", name);
  r->to = a;
  r->own = own;
  int column = 0;
  while (KIND(a) == K_NODE && c->at[INDEX(a)].row < 0) {
    c->at[INDEX(a)] = (struct spot){c->rows, column++};
    a = link_of(c, INDEX(a)) < 0 ? VAL(K_UNSET, 0) : c->v->node[INDEX(a)].cell[link_of(c, INDEX(a))];
  }
  if (column > c->columns) c->columns = column;
  c->rows++;
}

static void place_all(struct picture *c) {
  struct text name;
  text_open(&name, c->t->mem);
  for (unsigned n = 0; n < NODES_MOST; n++) c->at[n].row = -1;
  for (unsigned i = 0; i < ROOTS_MOST; i++) {
    if (KIND(c->v->root[i]) == K_UNSET || KIND(c->v->root[i]) == K_ANY) continue;
    text_clear(&name);
    tell_root(c->p, i, &name);
    place_chain(c, text_string(&name), c->v->root[i], false);
  }
  for (unsigned i = 0; c->v->pc && i < REGS_MOST; i++) {
    const char *variable = tell_register(c->p, c->v, i);
    if (*variable && KIND(c->v->reg[i]) != K_UNSET) place_chain(c, variable, c->v->reg[i], true);
  }
  for (unsigned n = 0; n < NODES_MOST; n++)
    if (c->v->node[n].used && c->at[n].row < 0) place_chain(c, "", VAL(K_NODE, n), true);
  mem_free(c->t->mem, name.at);
}

static void cells_text(const struct picture *c, unsigned n, struct text *t) {
  text_clear(t);
  tell_cells(c->p, &c->v->node[n], "\n", t);
}

static int height_of(const struct picture *c, unsigned n, size_t *longest) {
  struct text t;
  int lines = 0;
  *longest = 0;
  text_open(&t, c->t->mem);
  cells_text(c, n, &t);
  for (const char *s = text_string(&t); *s; lines++) {
    size_t length = strcspn(s, "\n");
    if (length > *longest) *longest = length;
    s += length + (s[length] == '\n');
  }
  mem_free(c->t->mem, t.at);
  return (lines ? lines : 1) * LINE + 2 * PAD;
}

/* How high rows are, and how wide boxes; names above boxes need room too. */
static void measure(struct picture *c) {
  size_t longest = 0, columns;
  c->box = BOX_LEAST;
  int y = 4;
  for (int r = 0; r < c->rows; r++) {
    int height = LINE + PAD, above = 0;
    for (unsigned n = 0; n < NODES_MOST; n++) {
      if (c->at[n].row != r) continue;
      int h = height_of(c, n, &columns), width = (int)columns * CHAR + 16 + (c->v->node[n].segment ? 18 : 0);
      if (h > height) height = h;
      if (width > c->box) c->box = width;
      if (*c->names[n]) above = NAMES;
    }
    c->top[r] = y + above;
    y += above + height + (r + 1 == c->rows ? 2 : height > LINE + PAD ? ROW_GAP : 2);
    if (strlen(c->row[r].name) > longest) longest = strlen(c->row[r].name);
  }
  c->top[c->rows] = y;
  c->left = LEFT_LEAST + (int)longest * CHAR + GAP;
}

static int x_of(const struct picture *c, unsigned n) { return c->left + c->at[n].column * (c->box + GAP); }
static int y_of(const struct picture *c, unsigned n) { return c->top[c->at[n].row]; }

/* From a place to the left side of a box, or to what is no node. */
static void draw_arrow(const struct picture *c, int x, int y, int row, int column, val to) {
  struct text *t = c->t;
  if (KIND(to) != K_NODE) {
    text_printf(t, "<path class=\"a\" d=\"M%d %dh12\"/><text class=\"e\" x=\"%d\" y=\"%d\">", x, y, x + 16, y + 4);
    tell_value(c->p, to, t);
    text_add(t, "</text>");
    return;
  }
  struct spot s = c->at[INDEX(to)];
  int tx = x_of(c, INDEX(to)), ty = y_of(c, INDEX(to)) + LINE / 2 + PAD;
  if (s.row == row && s.column == column + 1)
    text_printf(t, "<path class=\"a\" d=\"M%d %dH%d\"/>", x, y, tx - 6);
  else
    text_printf(t, "<path class=\"a\" d=\"M%d %dC%d %d %d %d %d %d\"/>", x, y, x + 26, y, tx - 30, ty, tx - 6, ty);
  text_printf(t, "<path class=\"h\" d=\"M%d %dl-8 -4v8z\"/>", tx, ty);
}

static void draw_node(const struct picture *c, unsigned n) {
  const struct node *x = &c->v->node[n];
  struct text *t = c->t, cells;
  size_t columns;
  int left = x_of(c, n), top = y_of(c, n), height = height_of(c, n, &columns), y = top + PAD + 11;
  text_printf(t, "<g class=\"n%s%s\">", x->segment ? " s" : "", x->owner == OWNER_NONE ? "" : " o");
  if (x->segment)
    text_printf(t, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"5\"/>", left + 4, top - 4, c->box, height);
  text_printf(t, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"5\"/>", left, top, c->box, height);
  text_open(&cells, t->mem);
  cells_text(c, n, &cells);
  for (const char *s = text_string(&cells); *s; y += LINE) {
    size_t length = strcspn(s, "\n");
    text_printf(t, "<text x=\"%d\" y=\"%d\">", left + 8, y);
    text_bytes(t, s, length);
    text_add(t, "</text>");
    s += length + (s[length] == '\n');
  }
  mem_free(t->mem, cells.at);
  if (x->segment) text_printf(t, "<text class=\"e\" x=\"%d\" y=\"%d\">1+</text>", left + c->box - 20, top + PAD + 11);
  if (node_is_named(c->v, n)) text_printf(t, "<title>n%u</title>", n);
  text_add(t, "</g>");
  if (*c->names[n])
    text_printf(t, "<text x=\"%d\" y=\"%d\">%s</text>", left + 2, top - (x->segment ? 8 : 5), c->names[n]);
  if (link_of(c, n) >= 0)
    draw_arrow(c, left + c->box, top + LINE / 2 + PAD, c->at[n].row, c->at[n].column, x->cell[link_of(c, n)]);
}

void draw_view(const struct prover *p, const struct view *v, struct text *t) {
  struct picture *c = mem_zero(t->mem, 1, sizeof *c);
  c->p = p;
  c->v = v;
  c->t = t;
  place_all(c);
  measure(c);
  int width = c->left + c->columns * (c->box + GAP) + 60, height = c->top[c->rows] + 4;
  text_printf(t, "<svg class=\"heap\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\"><title>", width,
              height, width, height);
  text_add(t, "nodes and what leads to them</title>");
  for (int r = 0; r < c->rows; r++) {
    const struct line_of *l = &c->row[r];
    int y = c->top[r] + LINE / 2 + PAD;
    text_printf(t, "<text class=\"%s\" x=\"6\" y=\"%d\">%s</text>", l->own ? "v" : "r", y + 4, l->name);
    if (*l->name) draw_arrow(c, c->left - GAP + 4, y, r, -1, l->to);
  }
  for (unsigned n = 0; n < NODES_MOST; n++)
    if (v->node[n].used && c->at[n].row >= 0) draw_node(c, n);
  text_add(t, "</svg>");
  mem_free(t->mem, c);
}
