/* Locks: who may hold them is decided by the calling process. An operation that waits is one that cannot happen yet. */
#include "spec/common.h"

/* Lock. The state is the owner + 1, 0 where it is free. Not reentrant. */

enum { ACQUIRE, RELEASE, TRY };

static const struct spec_op lock_ops[] = {
    {"acquire lock enter wait", 0, 0, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {"release unlock leave exit", 0, 0, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {"try try-acquire try-lock", 0, 0, RESULT_BOOL, PURE_IF_FALSE, V_TRUE, ARG_ANY},
};

static void one_word_init(const struct spec *s, struct outcomes *out) {
  (void)s;
  *add_words(out, V_NONE, 1) = 0;
}

static void lock_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  (void)s;
  uint32_t owner = *(const uint32_t *)state.at, me = op->process + 1;
  switch (op->method) {
  case ACQUIRE:
    if (!owner && result_matches(op, V_NONE)) *add_words(out, V_NONE, 1) = me;
    return;
  case RELEASE:
    if (owner == me && result_matches(op, V_NONE)) *add_words(out, V_NONE, 1) = 0;
    return;
  default:
    if (result_matches(op, owner ? V_FALSE : V_TRUE)) *add_words(out, owner ? V_FALSE : V_TRUE, 1) = owner ? owner : me;
  }
}

/* A process by its name, where the history's names are known. */
static void print_process(const struct spec *s, struct text *out, const char *before, uint32_t process) {
  if (s->processes && process < names_count(s->processes))
    text_printf(out, "%s %s", before, names_at(s->processes, process));
  else
    text_printf(out, "%s process %u", before, process);
}

static void lock_print(const struct spec *s, struct state state, struct text *out) {
  uint32_t owner = *(const uint32_t *)state.at;
  if (owner)
    print_process(s, out, "held by", owner - 1);
  else
    text_add(out, "free");
}

static void lock_rename(const struct spec *s, struct state state, const uint8_t *name, struct outcomes *out) {
  (void)s;
  uint32_t owner = *(const uint32_t *)state.at;
  *add_words(out, V_NONE, 1) = owner ? name[owner - 1] + 1u : 0;
}

static void lock_alone(const struct spec *s, struct state state, uint32_t process, struct outcomes *out) {
  (void)s;
  uint32_t owner = *(const uint32_t *)state.at;
  *add_words(out, V_NONE, 1) = owner == process + 1 ? owner : 0;
}

const struct spec spec_lock = {.name = "lock",
                               .aliases = "mutex spinlock",
                               .summary = "held by one process at a time, released by the one that holds it",
                               .ops = lock_ops,
                               .op_count = 3,
                               .family = FAMILY_LOCK,
                               .by_process = true,
                               .init = one_word_init,
                               .step = lock_step,
                               .print = lock_print,
                               .rename = lock_rename,
                               .alone = lock_alone};

/* Readers-writer lock. The state is the writer + 1 (0: none), then the processes that read, sorted, as often as they
 * hold it. A process that holds it for writing cannot take it again. */

enum { READ_LOCK, READ_UNLOCK, WRITE_LOCK, WRITE_UNLOCK, TRY_READ, TRY_WRITE, UNLOCK };

static const struct spec_op rw_ops[] = {
    {"read-lock rd-lock lock-read acquire-read lock-shared start-read", 0, 0, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {"read-unlock rd-unlock unlock-read release-read unlock-shared end-read", 0, 0, RESULT_NONE, PURE_NEVER, V_NONE,
     ARG_ANY},
    {"write-lock wr-lock lock-write acquire-write lock start-write", 0, 0, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {"write-unlock wr-unlock unlock-write release-write end-write", 0, 0, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {"try-read try-read-lock try-rd-lock try-lock-shared", 0, 0, RESULT_BOOL, PURE_IF_FALSE, V_TRUE, ARG_ANY},
    {"try-write try-write-lock try-wr-lock try-lock", 0, 0, RESULT_BOOL, PURE_IF_FALSE, V_TRUE, ARG_ANY},
    {"unlock release", 0, 0, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
};

static void rw_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  (void)s;
  uint32_t n, at = 1, me = op->process + 1, method = op->method;
  const uint32_t *w = state_words(state, &n);
  bool writing = w[0] == me;
  while (at < n && w[at] < me) at++;
  bool reading = at < n && w[at] == me;
  bool may_read = !w[0], may_write = !w[0] && n == 1;
  value result = V_NONE;
  if (method == TRY_READ || method == TRY_WRITE)
    result = (method == TRY_READ ? may_read : may_write) ? V_TRUE : V_FALSE;
  if (!result_matches(op, result)) return;
  if (method == UNLOCK) method = writing ? WRITE_UNLOCK : READ_UNLOCK;
  switch (method) {
  case READ_LOCK:
  case TRY_READ:
    if (may_read)
      *outcome_insert(out, state, result, at, 1) = me;
    else if (method == TRY_READ)
      outcome_same(out, state, result);
    return;
  case READ_UNLOCK:
    if (reading) outcome_remove(out, state, result, at, 1);
    return;
  case WRITE_LOCK:
  case TRY_WRITE:
    if (may_write)
      *add_words(out, result, 1) = me;
    else if (method == TRY_WRITE)
      outcome_same(out, state, result);
    return;
  default:
    if (writing) *add_words(out, result, 1) = 0;
  }
}

static void rw_print(const struct spec *s, struct state state, struct text *out) {
  uint32_t n;
  const uint32_t *w = state_words(state, &n);
  if (w[0])
    print_process(s, out, "written by", w[0] - 1);
  else if (n == 1)
    text_add(out, "free");
  for (uint32_t i = 1; i < n; i++) print_process(s, out, i == 1 ? "read by" : " and", w[i] - 1);
}

static uint32_t rw_elements(const struct spec *s, struct state state) { return elements_words(s, state) - 1; }

static void rw_rename(const struct spec *s, struct state state, const uint8_t *name, struct outcomes *out) {
  (void)s;
  uint32_t n;
  const uint32_t *w = state_words(state, &n);
  uint32_t *to = add_words(out, V_NONE, n);
  to[0] = w[0] ? name[w[0] - 1] + 1u : 0;
  for (uint32_t i = 1; i < n; i++) {
    uint32_t at = i, reader = name[w[i] - 1] + 1u;
    for (; at > 1 && to[at - 1] > reader; at--) to[at] = to[at - 1];
    to[at] = reader;
  }
}

static void rw_alone(const struct spec *s, struct state state, uint32_t process, struct outcomes *out) {
  (void)s;
  uint32_t n, count = 0, me = process + 1;
  const uint32_t *w = state_words(state, &n);
  for (uint32_t i = 1; i < n; i++) count += w[i] == me;
  uint32_t *to = add_words(out, V_NONE, count + 1);
  to[0] = w[0] == me ? me : 0;
  for (uint32_t i = 0; i < count; i++) to[i + 1] = me;
}

const struct spec spec_rw_lock = {
    .name = "rw-lock",
    .aliases = "readers-writer-lock reader-writer-lock shared-mutex shared-lock",
    .summary = "held by one writer or any number of readers; unlock gives back what the process holds",
    .ops = rw_ops,
    .op_count = 7,
    .family = FAMILY_RW_LOCK,
    .by_process = true,
    .init = one_word_init,
    .step = rw_step,
    .print = rw_print,
    .elements = rw_elements,
    .rename = rw_rename,
    .alone = rw_alone};

/* Semaphore. The state is how many permits there are: k at first. Any process may release. */

static const struct spec_op semaphore_ops[] = {
    {"acquire wait p down sem-wait", 0, 1, RESULT_NONE, PURE_NEVER, V_NONE, ARG_INT},
    {"release signal v up post sem-post", 0, 1, RESULT_NONE, PURE_NEVER, V_NONE, ARG_INT},
    {"try try-acquire try-wait sem-try-wait", 0, 1, RESULT_BOOL, PURE_IF_FALSE, V_TRUE, ARG_INT},
};

static void semaphore_init(const struct spec *s, struct outcomes *out) {
  int64_t permits = s->k;
  memcpy(outcomes_add(out, V_NONE, 8), &permits, 8);
}

static void semaphore_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  int64_t permits, n = op->arg[0] == V_NONE ? 1 : value_integer(s->values, op->arg[0]), next;
  memcpy(&permits, state.at, 8);
  bool enough = permits >= n;
  value result = op->method == TRY ? enough ? V_TRUE : V_FALSE : V_NONE;
  if (n < 0 || !result_matches(op, result) || (op->method == ACQUIRE && !enough)) return;
  if (op->method == RELEASE) {
    if (__builtin_add_overflow(permits, n, &next)) return;
  } else {
    next = enough ? permits - n : permits;
  }
  memcpy(outcomes_add(out, result, 8), &next, 8);
}

static void semaphore_print(const struct spec *s, struct state state, struct text *out) {
  (void)s;
  int64_t permits;
  memcpy(&permits, state.at, 8);
  text_printf(out, "%lld permit%s", (long long)permits, permits == 1 ? "" : "s");
}

static uint32_t semaphore_elements(const struct spec *s, struct state state) {
  (void)s;
  int64_t permits;
  memcpy(&permits, state.at, 8);
  return permits < UINT32_MAX ? (uint32_t)permits : UINT32_MAX;
}

const struct spec spec_semaphore = {.name = "semaphore",
                                    .aliases = "counting-semaphore sem",
                                    .summary = "k permits at first; acquire waits for n (1 if not given)",
                                    .param = "permits at first",
                                    .k = 1,
                                    .ops = semaphore_ops,
                                    .op_count = 3,
                                    .family = FAMILY_SEMAPHORE,
                                    .init = semaphore_init,
                                    .step = semaphore_step,
                                    .print = semaphore_print,
                                    .elements = semaphore_elements};
