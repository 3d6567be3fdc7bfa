/* Writing: see write.h. */
#include "history/write.h"

#include <string.h>

uint32_t *history_lanes(const struct history *h, struct mem *m, uint32_t *count) {
  uint32_t *events = history_events(h, m);
  uint32_t *lane = mem_alloc(m, (h->ops.count + 1) * sizeof *lane);
  VEC(uint32_t) heap = {0}; /* free lanes, least first */
  *count = 0;
  for (uint32_t e = 0; e < h->events; e++) {
    uint32_t op = events[e] >> 1;
    if (events[e] & 1) { /* free the lane: sift up */
      vec_push(m, &heap, lane[op]);
      for (size_t i = heap.count - 1; i && heap.at[(i - 1) / 2] > heap.at[i]; i = (i - 1) / 2) {
        uint32_t x = heap.at[i];
        heap.at[i] = heap.at[(i - 1) / 2];
        heap.at[(i - 1) / 2] = x;
      }
    } else if (!heap.count) {
      lane[op] = (*count)++;
    } else { /* take the least: sift down */
      lane[op] = heap.at[0];
      uint32_t x = heap.at[--heap.count];
      size_t i = 0, k;
      for (; (k = 2 * i + 1) < heap.count; i = k) {
        if (k + 1 < heap.count && heap.at[k + 1] < heap.at[k]) k++;
        if (heap.at[k] >= x) break;
        heap.at[i] = heap.at[k];
      }
      heap.at[i] = x;
    }
  }
  mem_free(m, heap.at);
  mem_free(m, events);
  return lane;
}

/* Does a process call while an earlier operation of it is open? Not in what was read: what monitors show has no
 * processes. */
static bool overlaps_itself(const struct history *h, const uint32_t *events, struct mem *m) {
  bool *busy = mem_zero(m, (size_t)names_count(h->processes) + 1, sizeof *busy), overlaps = false;
  for (uint32_t e = 0; e < h->events && !overlaps; e++) {
    uint32_t p = h->ops.at[events[e] >> 1].process;
    overlaps = !(events[e] & 1) && busy[p];
    busy[p] = !(events[e] & 1);
  }
  mem_free(m, busy);
  return overlaps;
}

void writer_open(struct writer *w, const struct history *h, struct text *out) {
  uint32_t lanes;
  *w = (struct writer){.h = h, .events = history_events(h, out->mem)};
  if (overlaps_itself(h, w->events, out->mem)) w->lanes = history_lanes(h, out->mem, &lanes);
  (void)lanes;
  w->mem = out->mem;
}

void writer_close(struct writer *w) {
  mem_free(w->mem, w->events);
  mem_free(w->mem, w->lanes);
}

const char *writer_process_name(const struct writer *w, uint32_t op, char room[static 16]) {
  if (!w->lanes) return names_at(w->h->processes, w->h->ops.at[op].process);
  snprintf(room, 16, "%u", w->lanes[op]);
  return room;
}

void writer_process(const struct writer *w, uint32_t op, struct text *out) {
  char room[16];
  write_name(out, writer_process_name(w, op, room), false);
}

bool writer_one_object(const struct history *h, const char *format, struct problem *p) {
  if (names_count(h->objects) <= 1) return true;
  problem_set(p, "%s files hold one object, and this history is of %u; wing-gong, edn and json hold several", format,
              names_count(h->objects));
  return false;
}

void writer_object_type(const struct history *h, struct text *out) {
  if (h->object_type) text_printf(out, "# @object %s\n", h->object_type);
}

void write_int(int64_t i, struct text *out) {
  char digits[24], *p = digits + sizeof digits;
  uint64_t n = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
  do *--p = (char)('0' + n % 10);
  while (n /= 10);
  if (i < 0) *--p = '-';
  text_bytes(out, p, (size_t)(digits + sizeof digits - p));
}

void write_value(const struct history *h, value v, struct text *out) {
  if (value_is_small(v))
    write_int(value_small(v), out);
  else
    value_print(h->values, v, out);
}

static bool bare(const char *s) {
  if (!*s) return false;
  for (; *s; s++) {
    bool word =
        (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') || *s == '_' || (*s & 0x80);
    if (!word && !strchr("-.:/+!?<>=", *s)) return false;
  }
  return true;
}

void write_name(struct text *out, const char *name, bool quote) {
  /* A name that begins like a comment, or like the mark that a file may begin with, is not left bare. */
  if (!quote && bare(name) && !(*name & 0x80) && !strchr("-./+", *name)) {
    text_add(out, name);
    return;
  }
  text_char(out, '"');
  for (; *name; name++) {
    unsigned char c = (unsigned char)*name;
    if (c == '"' || c == '\\') text_char(out, '\\');
    if (c < 32 || c == 127)
      text_printf(out, "\\u%04x", c);
    else
      text_char(out, *name);
  }
  text_char(out, '"');
}

int op_arguments(const struct op *o) {
  int n = OP_ARGS;
  while (n && o->arg[n - 1] == V_NONE) n--;
  return n;
}

void write_arguments(const struct history *h, const struct op *o, struct text *out) {
  int n = op_arguments(o);
  text_char(out, '(');
  for (int i = 0; i < n; i++) {
    if (i) text_add(out, ", ");
    write_value(h, o->arg[i], out);
  }
  text_char(out, ')');
}
