/* Machines of registers and counters: one cell. */
#include "spec/common.h"

struct cell {
  const struct values *values;
  value content; /* register */
  int64_t count; /* counter */
};

void *machine_cell_new(const struct spec *s, struct mem *m) {
  struct cell *c = mem_zero(m, 1, sizeof *c);
  c->values = s->values;
  c->content = spec_initial(s);
  return c;
}

/* Numbered as in register.c: read, write, cas. */
bool machine_register_apply(void *machine, const struct op *o) {
  struct cell *c = machine;
  bool unknown = o->result == V_UNKNOWN, same;
  switch (o->method) {
  case 0: return unknown || o->result == c->content;
  case 1:
    if (!unknown && o->result != V_NONE) return false;
    c->content = o->arg[0];
    return true;
  default:
    same = c->content == o->arg[0];
    if (!unknown && o->result != (same ? V_TRUE : V_FALSE)) return false;
    if (same) c->content = o->arg[1];
    return true;
  }
}

/* Numbered as in counter.c: read, inc, dec, fetch-add, add-fetch. */
bool machine_counter_apply(void *machine, const struct op *o) {
  struct cell *c = machine;
  uint64_t by = o->method == 0 ? 0 : o->arg[0] == V_NONE ? 1 : (uint64_t)value_integer(c->values, o->arg[0]);
  int64_t next = (int64_t)((uint64_t)c->count + (o->method == 2 ? 0 - by : by));
  bool integer = o->method == 0 || o->method >= 3;
  if (o->result != V_UNKNOWN) {
    if (integer) {
      int64_t returns = o->method == 4 ? next : c->count;
      if (value_kind(c->values, o->result) != VALUE_INT || value_integer(c->values, o->result) != returns) return false;
    } else if (o->result != V_NONE) {
      return false;
    }
  }
  c->count = next;
  return true;
}
