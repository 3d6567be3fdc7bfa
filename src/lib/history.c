/* The public API, first half: histories.
 *
 * Every function that may allocate sets the guard of the history's memory, so running out of it is a status. A refused
 * event breaks the history for good: a checker that went on without the event would answer another question. */
#include <inttypes.h>
#include <stdlib.h>

#include "history/format.h"
#include "lib/lib.h"
#include "spec/c_values.h"

const char *asif_version(void) { return ASIF_VERSION; }

static bool open_empty(asif_history *h) {
  mem_open(&h->mem, NULL);
  if (MEM_GUARD(&h->mem)) return false;
  h->history = history_new(&h->mem, "history");
  h->numbers = names_new(&h->mem);
  return true;
}

asif_history *asif_history_new(void) {
  asif_history *h = calloc(1, sizeof *h);
  if (h && open_empty(h)) return h;
  asif_history_free(h);
  return NULL;
}

void asif_history_free(asif_history *h) {
  if (!h) return;
  mem_close(&h->mem);
  free(h);
}

const char *asif_error(const asif_history *h) { return h ? h->error.text : "out of memory"; }

/* Failing. */

static asif_status refuse(asif_history *h, const char *format, ...) __attribute__((format(printf, 2, 3)));
static asif_status refuse(asif_history *h, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(h->error.text, sizeof h->error.text, format, args);
  va_end(args);
  return h->broken = ASIF_BAD_INPUT;
}

static asif_status no_memory(asif_history *h) {
  problem_set(&h->error, "out of memory");
  return h->broken = ASIF_NO_MEMORY;
}

/* May events of this kind be added? */
static asif_status admit(asif_history *h, enum content content) {
  if (!h) return ASIF_NO_MEMORY;
  if (h->broken) return h->broken;
  if (h->content == CONTENT_FINISHED) {
    problem_set(&h->error, "the history has been read or checked: nothing can be added");
    return ASIF_BAD_INPUT;
  }
  if (h->content != CONTENT_NONE && h->content != content)
    return refuse(h, "a history is built of events or of intervals, not of both");
  h->content = content;
  return ASIF_DONE;
}

/* Processes, objects, values. */

/* The process with this number; UINT32_MAX, and the history is broken, if its name is another's. */
static uint32_t process_of(asif_history *h, int number, const char *name) {
  uint32_t at = names_intern(h->numbers, (const char *)&number, sizeof number);
  if (at < h->processes.count) {
    if (!name) return at;
    refuse(h, "process %d is given a name after its first event", number);
    return UINT32_MAX;
  }
  char digits[16];
  if (!name) {
    snprintf(digits, sizeof digits, "%d", number);
    name = digits;
  }
  uint32_t index = names_intern(h->history->processes, name, strlen(name));
  if (index < at) {
    refuse(h, "process %d: another process is called '%.100s'", number, name);
    return UINT32_MAX;
  }
  vec_push(&h->mem, &h->processes, ((struct process){index, 0}));
  return at;
}

static uint32_t object_of(asif_history *h, const char *object) {
  if (!object) object = "x"; /* as readers of formats without objects have it */
  return names_intern(h->history->objects, object, strlen(object));
}

static value value_of(asif_history *h, asif_value v) {
  if (v.text) return value_text(h->history->values, v.text, v.length);
  value special;
  return c_special(v.number, &special) ? special : value_int(h->history->values, v.number);
}

static bool has_value(asif_history *h, const char *operation, asif_value v) {
  if (!v.text || v.length <= INT32_MAX) return true;
  refuse(h, "%.100s: a text of %zu bytes is too long", operation, v.length);
  return false;
}

/* The arguments; false, and the history is broken, if there are too many or one is no value, or a name is missing. */
static bool take_args(asif_history *h, const char *object, const char *operation, const asif_value *args, size_t count,
                      value *to) {
  if (!operation || !*operation || (object && !*object)) {
    refuse(h, "the %s has no name", object && !*object ? "object" : "operation");
    return false;
  }
  if (count > OP_ARGS) {
    refuse(h, "%.100s: an operation has at most %d arguments, not %zu", operation, OP_ARGS, count);
    return false;
  }
  if (count && !args) {
    refuse(h, "%.100s: there are no arguments, but %zu are said to be there", operation, count);
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    if (!has_value(h, operation, args[i])) return false;
    to[i] = value_of(h, args[i]);
    const char *result = args[i].text ? NULL : c_only_result(args[i].number);
    if (!result) continue;
    refuse(h, "%.100s: %s is a result, not an argument", operation, result);
    return false;
  }
  return true;
}

static asif_status said(asif_history *h, uint32_t at, const char *why) {
  if (!why) return ASIF_DONE;
  return refuse(h, "process %.100s %s", names_at(h->history->processes, h->processes.at[at].index), why);
}

/* Building. */

asif_status asif_name_process(asif_history *h, int process, const char *name) {
  asif_status status = admit(h, h ? h->content : CONTENT_NONE);
  if (status) return status;
  if (!name || !*name) return refuse(h, "process %d: the name is missing", process);
  if (MEM_GUARD(&h->mem)) return no_memory(h);
  return process_of(h, process, name) == UINT32_MAX ? h->broken : ASIF_DONE;
}

asif_status asif_call(asif_history *h, int process, const char *object, const char *operation, const asif_value *args,
                      size_t count) {
  asif_status status = admit(h, CONTENT_EVENTS);
  if (status) return status;
  if (MEM_GUARD(&h->mem)) return no_memory(h);
  value given[OP_ARGS];
  uint32_t at = process_of(h, process, NULL);
  if (at == UINT32_MAX || !take_args(h, object, operation, args, count, given)) return h->broken;
  uint32_t to = object_of(h, object), method = names_intern(h->history->methods, operation, strlen(operation));
  const char *why = history_call(h->history, h->processes.at[at].index, to, method, given, (int)count, 0);
  if (!why) h->processes.at[at].object = to;
  return said(h, at, why);
}

asif_status asif_return(asif_history *h, int process, asif_value result) {
  asif_status status = admit(h, CONTENT_EVENTS);
  if (status) return status;
  if (MEM_GUARD(&h->mem)) return no_memory(h);
  uint32_t at = process_of(h, process, NULL);
  if (at == UINT32_MAX || !has_value(h, "a result", result)) return h->broken;
  const struct process *p = &h->processes.at[at];
  return said(h, at, history_return(h->history, p->index, p->object, value_of(h, result)));
}

static asif_status end(asif_history *h, int process, const char *(*how)(struct history *, uint32_t)) {
  asif_status status = admit(h, CONTENT_EVENTS);
  if (status) return status;
  if (MEM_GUARD(&h->mem)) return no_memory(h);
  uint32_t at = process_of(h, process, NULL);
  return at == UINT32_MAX ? h->broken : said(h, at, how(h->history, h->processes.at[at].index));
}

asif_status asif_fail(asif_history *h, int process) { return end(h, process, history_fail); }

asif_status asif_info(asif_history *h, int process) { return end(h, process, history_info); }

asif_status asif_interval(asif_history *h, int process, const char *object, const char *operation,
                          const asif_value *args, size_t count, asif_value result, int64_t start, int64_t finish) {
  asif_status status = admit(h, CONTENT_INTERVALS);
  if (status) return status;
  if (MEM_GUARD(&h->mem)) return no_memory(h);
  value given[OP_ARGS];
  uint32_t at = process_of(h, process, NULL);
  if (at == UINT32_MAX || !take_args(h, object, operation, args, count, given) || !has_value(h, operation, result))
    return h->broken;
  h->history->in_turn = true;
  uint32_t method = names_intern(h->history->methods, operation, strlen(operation));
  const char *why = history_interval(h->history, h->processes.at[at].index, object_of(h, object), method, given,
                                     (int)count, value_of(h, result), start, finish, 0);
  return why ? refuse(h, "process %d: %.100s %s", process, operation, why) : ASIF_DONE;
}

/* Reading. */

static asif_status read_into(asif_history *h, struct input *in, const char *format) {
  const struct format *f = format ? format_named(format) : NULL;
  if (format && !f) {
    input_close(in);
    return refuse(h, "no format is called '%.60s'", format);
  }
  struct history *read = history_read_input(in, f, &h->error);
  if (!read) return h->broken = ASIF_BAD_INPUT;
  h->history = read;
  h->content = CONTENT_FINISHED;
  return ASIF_DONE;
}

/* From the path, or else from the bytes. */
static asif_status read_guarded(asif_history *h, const char *name, const char *path, const void *bytes, size_t count,
                                const char *format) {
  if (MEM_GUARD(&h->mem)) return no_memory(h);
  struct input in;
  if (!path)
    input_from_bytes(&in, &h->mem, name, bytes, count);
  else if (!input_open(&in, &h->mem, path, &h->error))
    return h->broken = ASIF_BAD_INPUT;
  return read_into(h, &in, format);
}

static asif_status read_any(asif_history *h, const char *name, const char *path, const void *bytes, size_t count,
                            const char *format) {
  asif_status status = admit(h, CONTENT_NONE);
  if (status) return status;
  if (h->processes.count || (!path && !bytes))
    return refuse(h, h->processes.count ? "the history to read is not empty" : "nothing to read");
  locale_t ours, before = locale_enter(&ours);
  status = read_guarded(h, name, path, bytes, count, format);
  locale_leave(ours, before);
  return status;
}

asif_status asif_read_file(asif_history *h, const char *path, const char *format) {
  return read_any(h, NULL, path, NULL, 0, format);
}

asif_status asif_read_bytes(asif_history *h, const char *name, const void *bytes, size_t count, const char *format) {
  return read_any(h, name ? name : "history", NULL, bytes, count, format);
}
