/* Guessing a specification: by the type a history names (`# @object atomic-stack`), else by the operations it uses.
 *
 * The words here are those that tell types apart, fewer than the aliases: a queue may be written with push and pop, but
 * a history of push and pop alone is a stack's. Where several fit, one that all the others extend is the guess. */
#include "spec/common.h"

struct hint {
  const struct spec *spec;
  const char *words;
};

static const struct hint hints[] = {
    {&spec_queue, "enq enqueue deq dequeue"},
    {&spec_stack, "push pop"},
    {&spec_deque, "push-front push-back pop-front pop-back push-left push-right pop-left pop-right add-first add-last "
                  "remove-first remove-last lpush rpush lpop rpop"},
    {&spec_priority_queue, "insert delete-min del-min extract-min remove-min pop-min"},
    {&spec_max_priority_queue, "insert delete-max del-max extract-max remove-max pop-max"},
    {&spec_set, "add insert remove delete contains has member"},
    {&spec_multiset, "add insert remove delete contains has member count"},
    {&spec_register, "read write load store"},
    {&spec_cas_register, "read write load store cas compare-and-set compare-and-swap compare-exchange"},
    {&spec_counter,
     "inc increment dec decrement add read fetch-add fetch-and-add get-and-add faa add-fetch add-and-get "
     "get-and-increment increment-and-get"},
    {&spec_map, "get put append cas compare-and-set delete del"},
    {&spec_lock, "acquire release lock unlock try-lock try-acquire"},
    {&spec_rw_lock,
     "read-lock read-unlock write-lock write-unlock rd-lock wr-lock rd-unlock wr-unlock try-read try-write "
     "unlock"},
    {&spec_semaphore, "wait signal post p v down up sem-wait sem-post"},
    {&spec_snzi, "arrive depart query"},
    {&spec_mailbox, "deliver check remove"},
};

static const struct spec *by_type(const char *type) {
  static const char *const prefixes[] = {"atomic", "concurrent", "lock-free", "linearizable", "java-util-concurrent"};
  const char *start = type;
  for (bool again = true; again;) {
    for (const struct spec *const *s = specs; *s; s++)
      if (same_name((*s)->name, strlen((*s)->name), start, strlen(start)) ||
          in_words((*s)->aliases, start, strlen(start)))
        return *s;
    again = false;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes && !again; i++) {
      size_t n = strlen(prefixes[i]);
      if (strlen(start) > n && same_name(start, n, prefixes[i], n)) {
        start += n;
        start += strspn(start, "-_ ");
        again = true;
      }
    }
  }
  return NULL;
}

static bool extends(const char *more, const char *words) {
  const char *word;
  size_t n;
  while ((word = next_word(&words, &n)))
    if (!in_words(more, word, n)) return false;
  return true;
}

/* Reads called with [k ...], and writes with a key and a value, are of registers addressed by a key. */
static bool by_key(const struct history *h) {
  size_t most = h->ops.count < 1000 ? h->ops.count : 1000;
  for (size_t i = 0; i < most; i++) {
    const struct op *o = &h->ops.at[i];
    const char *name = names_at(h->methods, o->method);
    if (in_words("write store set", name, strlen(name)) && o->arg[1] != V_NONE) return true;
    if (in_words("read load get", name, strlen(name)) && o->arg[0] != V_NONE &&
        value_kind(h->values, o->arg[0]) == VALUE_LIST)
      return true;
  }
  return false;
}

/* Which methods operations have. Others were read too, of processes that were skipped: a nemesis starts and stops. */
static bool *used_methods(const struct history *h) {
  bool *used = mem_zero(h->mem, (size_t)names_count(h->methods) + 1, sizeof *used);
  for (size_t i = 0; i < h->ops.count; i++) used[h->ops.at[i].method] = true;
  return used;
}

static bool all_among(const struct history *h, const bool *used, const char *words) {
  for (uint32_t m = 0; m < names_count(h->methods); m++) {
    const char *name = names_at(h->methods, m);
    if (used[m] && !in_words(words, name, strlen(name))) return false;
  }
  return h->ops.count > 0;
}

enum { HINTS = sizeof hints / sizeof *hints };

static size_t fitting(const struct history *h, const bool *used, const struct hint *fit[HINTS]) {
  size_t fits = 0;
  for (size_t i = 0; i < HINTS; i++)
    if (all_among(h, used, hints[i].words)) fit[fits++] = &hints[i];
  return fits;
}

bool spec_guess_settled(const struct history *h) {
  if (h->object_type && by_type(h->object_type)) return true;
  const struct hint *fit[HINTS];
  bool *used = used_methods(h);
  size_t fits = fitting(h, used, fit);
  mem_free(h->mem, used);
  return fits <= 1 && h->ops.count;
}

const struct spec *spec_guess(const struct history *h, struct problem *problem) {
  if (h->object_type) {
    const struct spec *s = by_type(h->object_type);
    if (s) return s;
  }
  const struct hint *fit[HINTS];
  const bool *used = used_methods(h);
  size_t fits = fitting(h, used, fit);
  for (size_t i = 0; i < fits; i++) {
    bool least = true;
    for (size_t j = 0; j < fits && least; j++) least = extends(fit[j]->words, fit[i]->words);
    if (!least) continue;
    bool one_cell = fit[i]->spec == &spec_register || fit[i]->spec == &spec_cas_register;
    return one_cell && by_key(h) ? &spec_map : fit[i]->spec;
  }
  /* `get` alone is a map's, and `set` too many things': with each other they are a register's, or a map's. */
  if (!fits && all_among(h, used, "read write load store get set")) return by_key(h) ? &spec_map : &spec_register;
  char list[300] = "";
  size_t length = 0;
  if (fits) {
    for (size_t i = 0; i < fits && length < sizeof list; i++)
      length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", i ? ", " : "", fit[i]->spec->name);
    problem_set(problem, "%s: the operations fit several specifications (%s): choose one with --spec", h->source, list);
  } else {
    int named = 0;
    for (uint32_t m = 0; m < names_count(h->methods) && named < 8 && length < sizeof list; m++)
      if (used[m])
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%.30s", named++ ? ", " : "",
                                   names_at(h->methods, m));
    problem_set(problem,
                "%s: no specification is known by its operations (%s): choose one with --spec; 'asif specs' lists them",
                h->source, list);
  }
  return NULL;
}
