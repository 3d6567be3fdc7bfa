/* A ring that holds 3, with 7 and 8 in it at first. */
struct state {
  int count, value[3];
};
static void spec_start(struct state *s) { *s = (struct state){2, {7, 8}}; }
static bool spec_enq(struct state *s, int v) {
  if (s->count == 3) return false;
  s->value[s->count++] = v;
  return true;
}
static int spec_deq(struct state *s) {
  if (!s->count) return ASIF_EMPTY;
  int v = s->value[0];
  s->value[0] = s->value[1];
  s->value[1] = s->value[2];
  s->value[2] = 0;
  s->count--;
  return v;
}
ASIF_SPEC(ring, struct state, spec_start)
ASIF_SPEC_OP(spec_enq, "enq")
ASIF_SPEC_OP(spec_deq, "deq")
