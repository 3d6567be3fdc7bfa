#include <asif.h>
static unsigned x, y, t[4] = {0, 1, 2, 3}, i = 1;
static struct { unsigned n, m; } s;
static unsigned *p = &x, *q = &t[2];
static unsigned set(unsigned *at, unsigned v) { *at = v & 3; return v; }
static unsigned get(unsigned *at) { return *at & 7; }
static unsigned bump(unsigned *at) { unsigned had = *at; *at = had + 1; return had; }
static unsigned minus(unsigned v, unsigned w) { return v - w; }
static unsigned *at(unsigned n) { return &t[n & 3]; }
static unsigned mix(unsigned *v, unsigned *w, unsigned k) { return bump(v) * 2 + get(w) + k; }
static unsigned both(void) { return minus(bump(&x), get(&y)) + 2 * bump(&y); }
static unsigned *get3(unsigned *v, unsigned k, unsigned *w) { return k & 1 ? v : w; }
static unsigned loop(unsigned *v, unsigned k) {
  unsigned r = 0;
  for (unsigned n = k & 3; n; n--) r += get(v) + bump(&t[n]);
  return r;
}
static int f(void) {
  unsigned a = 1, b = 2, r = 0;
  ASIF_ATOMIC {
    r += *p;
    r += mix(&s.n, &s.n, ((*get3(&s.n, bump(&a), &s.n) | *at(t[1])++) * 3 ^ (mix(q, p, *p) - 2 * 2)));
  }
  return ((r + 3 * x + 5 * y + a * 7 + b + s.n * 2 + t[0] + t[1] * 3 + t[2] * 5 + t[3] + s.m) % 4) != -1;
}
struct state { int n; };
static int s_f(struct state *s) { (void)s; return 1; }
ASIF_SPEC(one, struct state)
ASIF_SPEC_OP(s_f, "f")
ASIF_OBJECT(one)
ASIF_OP(f)
