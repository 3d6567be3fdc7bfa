/* Recordings: reading and writing the binary format of recording.h. */
#include "history/recording.h"

#include "history/format.h"
#include "history/write.h"

uint32_t recording_sum(char kind, const unsigned char *p, size_t n) {
  uint64_t h = 0x9e3779b97f4a7c15u ^ (n << 8 | (unsigned char)kind);
  for (; n >= 8; p += 8, n -= 8) {
    h = (h ^ recording_load8(p)) * 0xd6e8feb86659fd93u;
    h ^= h >> 29;
  }
  h = (h ^ recording_load(p, (unsigned)n)) * 0xd6e8feb86659fd93u;
  return (uint32_t)(h >> 32);
}

void recording_head(unsigned char head[RECORDING_HEAD], char kind, const unsigned char *bytes, size_t count) {
  head[0] = (unsigned char)kind;
  head[1] = head[2] = head[3] = 0;
  recording_store(head + 4, count, 4);
  recording_store(head + 8, recording_sum(kind, bytes, count), 4);
}

/* --- reading --- */

struct entry {
  uint32_t object, method;
};
struct reading {
  struct input *in;
  struct history *h;
  struct problem *problem;
  const unsigned char *at, *end; /* the block's bytes that are left */
  uint64_t block;                /* its number, from 1 */
  uint64_t block_at;             /* where it begins in the file */
  const unsigned char *begin;
  uint64_t events;
  VEC(uint32_t) processes;
  VEC(struct entry) operations;
  VEC(uint32_t) object; /* a process: that of its latest call */
};

static bool bad(struct reading *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool bad(struct reading *r, const char *format, ...) {
  char what[400];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  unsigned long long place = r->block_at + (r->block ? (unsigned long long)(r->at - r->begin) : 0);
  problem_set(r->problem, "%s: byte %llu, in block %llu: %s", r->in->name, place, (unsigned long long)r->block, what);
  return false;
}

static bool number_slowly(struct reading *r, uint64_t *n) {
  *n = 0;
  for (unsigned shift = 0; shift < 64 && r->at < r->end; shift += 7) {
    unsigned char byte = *r->at++;
    if (shift == 63 && byte > 1) return bad(r, "a number has more than 64 bits");
    *n |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) return true;
  }
  return bad(r, r->at == r->end ? "the block ends within a number" : "a number has more than 64 bits");
}

static inline bool number(struct reading *r, uint64_t *n) {
  if (r->at < r->end && *r->at < 128) return *n = *r->at++, true;
  return number_slowly(r, n);
}

/* Text of the block, in place. */
static bool chars(struct reading *r, const char **s, size_t *count) {
  uint64_t n;
  *s = "";
  *count = 0;
  if (!number(r, &n)) return false;
  if (n > (uint64_t)(r->end - r->at))
    return bad(r, "a text of %llu bytes does not fit its block", (unsigned long long)n);
  *s = (const char *)r->at;
  *count = (size_t)n;
  r->at += n;
  return true;
}

static bool name(struct reading *r, const char *what, const char **s, size_t *count) {
  if (!chars(r, s, count)) return false;
  if (!*count) return bad(r, "%s has no name", what);
  if (memchr(*s, 0, *count)) return bad(r, "the name of %s has a zero byte", what);
  return true;
}

static bool any_value(struct reading *r, value *v, int depth);

static bool list_value(struct reading *r, value *v, int depth) {
  uint64_t n;
  if (!number(r, &n)) return false;
  if (n > (uint64_t)(r->end - r->at))
    return bad(r, "a list of %llu values does not fit its block", (unsigned long long)n);
  if (depth >= 200) return bad(r, "lists are nested more than 200 deep");
  value *items = mem_alloc(r->h->mem, ((size_t)n + 1) * sizeof *items);
  for (uint64_t i = 0; i < n; i++)
    if (!any_value(r, &items[i], depth + 1)) return mem_free(r->h->mem, items), false;
  *v = value_list(r->h->values, items, (size_t)n);
  mem_free(r->h->mem, items);
  return true;
}

static bool odd_value(struct reading *r, uint64_t n, value *v, int depth) {
  const char *s;
  size_t count;
  if (n <= V_UNKNOWN >> 1) return *v = (value)(n << 1 | 1), true;
  if (n == RECORDED_LIST) return list_value(r, v, depth);
  if (n == RECORDED_TEXT) return chars(r, &s, &count) && (*v = value_text(r->h->values, s, count), true);
  if (n != RECORDED_WIDE) return bad(r, "a value is of kind %llu, which is none", (unsigned long long)n);
  if (r->end - r->at < 8) return bad(r, "the block ends within an integer");
  *v = value_int(r->h->values, (int64_t)recording_load8(r->at));
  r->at += 8;
  return true;
}

static inline bool any_value(struct reading *r, value *v, int depth) {
  uint64_t n;
  if (!number(r, &n)) return false;
  if (n & 1) return odd_value(r, n >> 1, v, depth);
  int64_t i = (int64_t)(n >> 2) ^ -(int64_t)(n >> 1 & 1);
  *v = i >= VALUE_SMALL_MIN && i <= VALUE_SMALL_MAX ? value_of_small((int32_t)i) : value_int(r->h->values, i);
  return true;
}

static bool read_names(struct reading *r) {
  while (r->at < r->end) {
    const char *s;
    size_t n;
    switch (*r->at++) {
    case 'P':
      if (!name(r, "a process", &s, &n)) return false;
      vec_push(r->h->mem, &r->processes, names_intern(r->h->processes, s, n));
      vec_push(r->h->mem, &r->object, 0);
      break;
    case 'O': {
      struct entry e;
      if (!name(r, "an object", &s, &n)) return false;
      e.object = names_intern(r->h->objects, s, n);
      if (!name(r, "an operation", &s, &n)) return false;
      e.method = names_intern(r->h->methods, s, n);
      vec_push(r->h->mem, &r->operations, e);
      break;
    }
    case 'T':
      if (!name(r, "the object's type", &s, &n)) return false;
      for (size_t i = 0; i < n; i++)
        if ((unsigned char)s[i] <= ' ')
          return bad(r, "the object's type is a word, and this has %s in it", byte_name(s[i]).text);
      r->h->object_type = mem_string(r->h->mem, s, n);
      break;
    default: r->at--; return bad(r, "%s begins no name: P, O or T would", byte_name((char)*r->at).text);
    }
  }
  return true;
}

static bool bad_event(struct reading *r, uint32_t process, const char *why) {
  return bad(r, "process %.100s %s", names_at(r->h->processes, r->processes.at[process]), why);
}

static inline bool read_call(struct reading *r, uint32_t process, unsigned count) {
  value args[OP_ARGS];
  uint64_t n;
  if (!number(r, &n)) return false;
  if (n >= r->operations.count) return bad(r, "operation %llu has no name", (unsigned long long)n);
  for (unsigned i = 0; i < count; i++) {
    if (!any_value(r, &args[i], 0)) return false;
    if (args[i] == V_NONE) return bad(r, "an argument is no value");
  }
  const struct entry *e = &r->operations.at[n];
  const char *why = history_call(r->h, r->processes.at[process], e->object, e->method, args, (int)count, 0);
  if (why) return bad_event(r, process, why);
  r->object.at[process] = e->object;
  return true;
}

static inline bool read_return(struct reading *r, uint32_t process, unsigned how) {
  static const value results[] = {[1] = V_NONE, [2] = V_EMPTY, [3] = V_TRUE};
  value v;
  if (how)
    v = results[how];
  else if (!any_value(r, &v, 0))
    return false;
  const char *why = history_return(r->h, r->processes.at[process], r->object.at[process], v);
  return !why || bad_event(r, process, why);
}

static bool read_events(struct reading *r) {
  while (r->at < r->end) {
    unsigned char head = *r->at++;
    uint64_t process = head >> 4;
    const char *why = NULL;
    if (process == RECORDED_FOLLOWS && !number(r, &process)) return false;
    if (process >= r->processes.count) return bad(r, "process %llu has no name", (unsigned long long)process);
    switch (head & 3) {
    case RECORDED_CALL:
      if (!read_call(r, (uint32_t)process, head >> 2 & 3)) return false;
      break;
    case RECORDED_RETURN:
      if (!read_return(r, (uint32_t)process, head >> 2 & 3)) return false;
      break;
    case RECORDED_FAIL: why = history_fail(r->h, r->processes.at[process]); break;
    default: why = history_info(r->h, r->processes.at[process]);
    }
    if (why) return bad_event(r, (uint32_t)process, why);
    r->events++;
  }
  return true;
}

static bool read_end(struct reading *r) {
  uint64_t n;
  if (!number(r, &n)) return false;
  if (n != r->events)
    return bad(r, "the recording has %llu events, and says that it has %llu", (unsigned long long)r->events,
               (unsigned long long)n);
  return true;
}

/* The next block, if it is there whole: what is cut off at the end was being written when the program ended. *kind: 0
 * at the end. */
static bool next_block(struct reading *r, char *kind) {
  struct input *in = r->in;
  *kind = 0;
  r->block_at = in->base + (uint64_t)(in->at - in->begin);
  r->begin = r->at = r->end = (const unsigned char *)in->at;
  if (input_fill(in, RECORDING_HEAD) < RECORDING_HEAD) return true;
  const unsigned char *head = (const unsigned char *)in->at;
  size_t count = (size_t)recording_load(head + 4, 4);
  r->block++;
  r->begin = r->at = head;
  if (head[1] || head[2] || head[3] || count > RECORDING_BLOCK_MOST) return bad(r, "no block begins here");
  if (input_fill(in, RECORDING_HEAD + count) < RECORDING_HEAD + count) return true;
  head = (const unsigned char *)in->at; /* it may have moved */
  r->begin = r->at = head;
  if (recording_load(head + 8, 4) != recording_sum((char)head[0], head + RECORDING_HEAD, count))
    return bad(r, "the block is damaged");
  *kind = (char)head[0];
  r->at = head + RECORDING_HEAD;
  r->end = r->at + count;
  in->at += RECORDING_HEAD + count;
  return true;
}

static bool read_blocks(struct reading *r) {
  char kind;
  bool ended = false;
  while (next_block(r, &kind)) {
    if (!kind) return true;
    if (ended) return bad(r, "something follows the end of the recording");
    bool good = kind == 'N'   ? read_names(r)
                : kind == 'E' ? read_events(r)
                : kind == 'Z' ? read_end(r)
                              : bad(r, "a block of an unknown kind");
    if (!good) return false;
    ended = kind == 'Z';
    mem_poll(r->h->mem);
  }
  return false;
}

static bool read_recording(struct input *in, struct history *h, struct problem *problem) {
  struct reading r = {.in = in, .h = h, .problem = problem};
  size_t n = input_fill(in, RECORDING_MAGIC_SIZE);
  r.begin = r.at = (const unsigned char *)in->at;
  if (n < RECORDING_MAGIC_SIZE || memcmp(in->at, RECORDING_MAGIC, RECORDING_MAGIC_SIZE - 1)) {
    if (!in->failed) problem_set(problem, "%s: is no recording: it does not begin as one", in->name);
    return in->failed ? input_whole(in, problem) : false;
  }
  if (in->at[RECORDING_MAGIC_SIZE - 1] != RECORDING_MAGIC[RECORDING_MAGIC_SIZE - 1]) {
    problem_set(problem, "%s: is a recording of version %d; this Asif reads version 1", in->name,
                in->at[RECORDING_MAGIC_SIZE - 1]);
    return false;
  }
  in->at += RECORDING_MAGIC_SIZE;
  if (!read_blocks(&r)) return false;
  history_finish(h);
  return input_whole(in, problem);
}

/* --- writing --- */

struct writing {
  struct text *out;
  struct text block; /* being made */
  bool (*flush)(struct text *, void *);
  void *to;
};

static void put_number(struct text *t, uint64_t n) {
  unsigned char room[10];
  text_bytes(t, (char *)room, (size_t)(recording_number(room, n) - room));
}

static void put_name(struct text *t, const char *s, size_t n) {
  put_number(t, n);
  text_bytes(t, s, n);
}

static void put_value(struct text *t, const struct values *values, value v) {
  unsigned char room[RECORDING_EVENT_MOST];
  size_t n;
  switch (value_kind(values, v)) {
  case VALUE_SPECIAL: put_number(t, v); return;
  case VALUE_INT:
    text_bytes(t, (char *)room, (size_t)(recording_integer(room, value_integer(values, v)) - room));
    return;
  case VALUE_TEXT: {
    const char *s = value_chars(values, v, &n);
    put_number(t, RECORDED_TEXT << 1 | 1);
    put_name(t, s, n);
    return;
  }
  case VALUE_LIST: {
    const value *items = value_items(values, v, &n);
    put_number(t, RECORDED_LIST << 1 | 1);
    put_number(t, n);
    for (size_t i = 0; i < n; i++) put_value(t, values, items[i]);
  }
  }
}

static bool put_block(struct writing *w, char kind) {
  unsigned char head[RECORDING_HEAD];
  const char *bytes = text_string(&w->block);
  recording_head(head, kind, (const unsigned char *)bytes, w->block.count);
  text_bytes(w->out, (char *)head, sizeof head);
  text_bytes(w->out, bytes, w->block.count);
  text_clear(&w->block);
  return w->out->count < WRITE_CHUNK || w->flush(w->out, w->to);
}

/* Puts what was added to the block since `before` in a block of its own, if the two do not fit one. */
static bool fits(struct writing *w, char kind, size_t before, struct problem *problem) {
  if (w->block.count < WRITE_CHUNK) return true;
  size_t added = w->block.count - before;
  if (added > RECORDING_BLOCK_MOST) {
    problem_set(
        problem,
        "recordings hold events of up to %d bytes, and this history has one of %zu; wing-gong, edn and json hold it",
        RECORDING_BLOCK_MOST, added);
    return false;
  }
  if (w->block.count <= RECORDING_BLOCK_MOST) return put_block(w, kind);
  char *rest = mem_alloc(w->block.mem, added);
  memcpy(rest, w->block.at + before, added);
  w->block.count = before;
  w->block.at[before] = 0;
  bool good = put_block(w, kind);
  text_bytes(&w->block, rest, added);
  mem_free(w->block.mem, rest);
  return good && put_block(w, kind);
}

/* Processes in the order they first call, under the names that writers have for them; where one overlaps itself there
 * are lanes. */
static bool put_processes(struct writing *w, const struct writer *from, const uint32_t *number,
                          struct problem *problem) {
  uint32_t next = 0;
  for (uint32_t e = 0; e < from->h->events; e++) {
    uint32_t op = from->events[e] >> 1;
    if ((from->events[e] & 1) || number[op] != next) continue;
    char room[16];
    const char *s = writer_process_name(from, op, room);
    size_t before = w->block.count;
    text_char(&w->block, 'P');
    put_name(&w->block, s, strlen(s));
    next++;
    if (!fits(w, 'N', before, problem)) return false;
  }
  return true;
}

/* The number of each operation's process. */
static uint32_t *number_processes(const struct writer *from, struct mem *m) {
  const struct history *h = from->h;
  uint32_t *number = mem_alloc(m, (h->ops.count + 1) * sizeof *number), next = 0;
  size_t most = names_count(h->processes) + h->ops.count + 1;
  uint32_t *known = mem_alloc(m, most * sizeof *known);
  memset(known, 0xff, most * sizeof *known);
  for (uint32_t e = 0; e < h->events; e++) {
    uint32_t op = from->events[e] >> 1, p = from->lanes ? from->lanes[op] : h->ops.at[op].process;
    if (from->events[e] & 1) continue;
    if (known[p] == UINT32_MAX) known[p] = next++;
    number[op] = known[p];
  }
  mem_free(m, known);
  return number;
}

/* Each pair of object and method, in the order they are first called; returns the number of each operation's. */
static uint32_t *put_operations(struct writing *w, const struct history *h, struct problem *problem) {
  struct mem *m = w->block.mem;
  struct names *pairs = names_new(m);
  uint32_t *number = mem_alloc(m, (h->ops.count + 1) * sizeof *number), count = 0;
  for (size_t i = 0; i < h->ops.count; i++) {
    uint32_t pair[2] = {h->ops.at[i].object, h->ops.at[i].method};
    number[i] = names_intern(pairs, (const char *)pair, sizeof pair);
    if (number[i] < count) continue;
    const char *object = names_at(h->objects, pair[0]), *method = names_at(h->methods, pair[1]);
    size_t before = w->block.count;
    count++;
    text_char(&w->block, 'O');
    put_name(&w->block, object, strlen(object));
    put_name(&w->block, method, strlen(method));
    if (!fits(w, 'N', before, problem)) return NULL;
  }
  return number;
}

static void put_event(struct writing *w, const struct history *h, uint32_t event, uint32_t process,
                      uint32_t operation) {
  const struct op *o = &h->ops.at[event >> 1];
  unsigned char room[RECORDING_EVENT_MOST], *p;
  if (event & 1) {
    unsigned how = o->result == V_NONE ? 1 : o->result == V_EMPTY ? 2 : o->result == V_TRUE ? 3 : 0;
    p = recording_event(room, RECORDED_RETURN, how, process);
    text_bytes(&w->block, (char *)room, (size_t)(p - room));
    if (!how) put_value(&w->block, h->values, o->result);
    return;
  }
  int args = op_arguments(o);
  p = recording_number(recording_event(room, RECORDED_CALL, (unsigned)args, process), operation);
  text_bytes(&w->block, (char *)room, (size_t)(p - room));
  for (int i = 0; i < args; i++) put_value(&w->block, h->values, o->arg[i]);
}

static bool put_events(struct writing *w, const struct writer *from, const uint32_t *process, const uint32_t *operation,
                       struct problem *problem) {
  const struct history *h = from->h;
  for (uint32_t e = 0; e < h->events; e++) {
    size_t before = w->block.count;
    uint32_t op = from->events[e] >> 1;
    put_event(w, h, from->events[e], process[op], operation[op]);
    if (!fits(w, 'E', before, problem)) return false;
  }
  return !w->block.count || put_block(w, 'E');
}

static bool put_all(struct writing *w, const struct writer *from, struct problem *problem) {
  const struct history *h = from->h;
  text_bytes(w->out, RECORDING_MAGIC, RECORDING_MAGIC_SIZE);
  if (h->object_type && *h->object_type) {
    text_char(&w->block, 'T');
    put_name(&w->block, h->object_type, strlen(h->object_type));
  }
  uint32_t *process = number_processes(from, w->block.mem), *operation = put_operations(w, h, problem);
  bool good = operation && put_processes(w, from, process, problem) && (!w->block.count || put_block(w, 'N')) &&
              put_events(w, from, process, operation, problem);
  mem_free(w->block.mem, process);
  mem_free(w->block.mem, operation);
  if (!good) return false;
  put_number(&w->block, h->events);
  return put_block(w, 'Z');
}

static bool write_recording(const struct history *h, struct text *out, struct problem *problem,
                            bool (*flush)(struct text *, void *), void *to) {
  struct writing w = {.out = out, .flush = flush, .to = to};
  struct writer from;
  text_open(&w.block, out->mem);
  writer_open(&from, h, out);
  bool good = put_all(&w, &from, problem);
  writer_close(&from);
  vec_free(out->mem, &w.block);
  return good;
}

static int guess(const char *s, size_t n) {
  return n >= RECORDING_MAGIC_SIZE && !memcmp(s, RECORDING_MAGIC, RECORDING_MAGIC_SIZE - 1) ? 100 : 0;
}

const struct format format_recording = {
    .name = "recording",
    .summary = "binary: what the library's recorder writes",
    .empty = true,
    .suffixes = ".asif",
    .guess = guess,
    .read = read_recording,
    .write = write_recording,
};
