/* A readers-writer lock with upgrade: beside readers and a writer there may be one upgradable reader, which shares with
 * readers and becomes the writer when they are gone (boost::upgrade_mutex). A plain reader that is the only holder may
 * become the writer as well (TBB); two readers that both wait for that wait for ever. downgrade makes a writer a
 * reader, downgrade-upgradable makes it the upgradable one: neither waits, nobody gets in between.
 *
 * The state is the writer + 1, the upgradable reader + 1 (0: none), then the processes that read, sorted, as often as
 * they hold it. The upgradable reader may read as well, and then must give that back before it can upgrade. */
#include "spec/common.h"

enum {
  READ_LOCK,
  READ_UNLOCK,
  WRITE_LOCK,
  WRITE_UNLOCK,
  TRY_READ,
  TRY_WRITE,
  UNLOCK,
  UPGRADABLE_LOCK,
  UPGRADABLE_UNLOCK,
  TRY_UPGRADABLE,
  UPGRADE,
  TRY_UPGRADE,
  DOWNGRADE,
  DOWNGRADE_UPGRADABLE
};

static const struct spec_op ops[] = {
    {"read-lock rd-lock lock-read acquire-read lock-shared", 0, 0, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {"read-unlock rd-unlock unlock-read release-read unlock-shared", 0, 0, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {"write-lock wr-lock lock-write acquire-write lock", 0, 0, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {"write-unlock wr-unlock unlock-write release-write", 0, 0, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {"try-read try-read-lock try-rd-lock try-lock-shared", 0, 0, RESULT_BOOL, PURE_IF_FALSE, V_TRUE, ARG_ANY},
    {"try-write try-write-lock try-wr-lock try-lock", 0, 0, RESULT_BOOL, PURE_IF_FALSE, V_TRUE, ARG_ANY},
    {"unlock release", 0, 0, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {"upgradable-lock lock-upgrade lock-upgradable upgradable-read", 0, 0, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {"upgradable-unlock unlock-upgrade unlock-upgradable", 0, 0, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {"try-upgradable try-lock-upgrade try-lock-upgradable", 0, 0, RESULT_BOOL, PURE_IF_FALSE, V_TRUE, ARG_ANY},
    {"upgrade unlock-upgrade-and-lock upgrade-to-writer", 0, 0, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {"try-upgrade try-unlock-upgrade-and-lock", 0, 0, RESULT_BOOL, PURE_IF_FALSE, V_TRUE, ARG_ANY},
    {"downgrade unlock-and-lock-shared downgrade-to-reader", 0, 0, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {"downgrade-upgradable unlock-and-lock-upgrade", 0, 0, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
};

static void init(const struct spec *s, struct outcomes *out) {
  (void)s;
  uint32_t *w = add_words(out, V_NONE, 2);
  w[0] = w[1] = 0;
}

/* Only the two first words; nobody reads. */
static void outcome_of(struct outcomes *out, value result, uint32_t writer, uint32_t upgradable) {
  uint32_t *w = add_words(out, result, 2);
  w[0] = writer;
  w[1] = upgradable;
}

static void set_upgradable(struct outcomes *out, struct state state, value result, uint32_t to) {
  outcome_remove(out, state, result, state.size / 4, 0)[1] = to;
}

/* What a process must hold for the operation to be possible at all. */
static bool may_call(unsigned method, bool writing, bool upgradable, bool reading) {
  switch (method) {
  case READ_UNLOCK: return reading;
  case WRITE_UNLOCK:
  case DOWNGRADE:
  case DOWNGRADE_UPGRADABLE: return writing;
  case UPGRADABLE_UNLOCK: return upgradable;
  case UPGRADE:
  case TRY_UPGRADE: return upgradable || reading;
  default: return true;
  }
}

static void step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  (void)s;
  uint32_t n, at = 2, me = op->process + 1, method = op->method;
  const uint32_t *w = state_words(state, &n);
  while (at < n && w[at] < me) at++;
  bool writing = w[0] == me, upgradable = w[1] == me, reading = at < n && w[at] == me;
  if (method == UNLOCK) method = writing ? WRITE_UNLOCK : upgradable ? UPGRADABLE_UNLOCK : READ_UNLOCK;
  if (!may_call(method, writing, upgradable, reading)) return;
  bool alone = upgradable ? n == 2 : !w[1] && n == 3; /* of one that upgrades */
  bool goes = true, asks = true;                      /* can it be done; does it say whether */
  switch (method) {
  case TRY_READ: goes = !w[0]; break;
  case TRY_WRITE: goes = !w[0] && !w[1] && n == 2; break;
  case TRY_UPGRADABLE: goes = !w[0] && !w[1]; break;
  case TRY_UPGRADE: goes = alone; break;
  case READ_LOCK: goes = !w[0], asks = false; break;
  case WRITE_LOCK: goes = !w[0] && !w[1] && n == 2, asks = false; break;
  case UPGRADABLE_LOCK: goes = !w[0] && !w[1], asks = false; break;
  case UPGRADE: goes = alone, asks = false; break;
  default: asks = false;
  }
  value result = !asks ? V_NONE : goes ? V_TRUE : V_FALSE;
  if (!result_matches(op, result)) return;
  if (!goes) {
    if (asks) outcome_same(out, state, result);
    return;
  }
  switch (method) {
  case READ_LOCK:
  case TRY_READ: *outcome_insert(out, state, result, at, 1) = me; return;
  case READ_UNLOCK: outcome_remove(out, state, result, at, 1); return;
  case UPGRADABLE_LOCK:
  case TRY_UPGRADABLE: set_upgradable(out, state, result, me); return;
  case UPGRADABLE_UNLOCK: set_upgradable(out, state, result, 0); return;
  case WRITE_UNLOCK: outcome_of(out, result, 0, 0); return;
  case DOWNGRADE_UPGRADABLE: outcome_of(out, result, 0, me); return;
  case DOWNGRADE: {
    uint32_t *to = add_words(out, result, 3);
    to[0] = to[1] = 0;
    to[2] = me;
    return;
  }
  default: outcome_of(out, result, me, 0); /* the ways to become the writer */
  }
}

static void print_holder(const struct spec *s, struct text *out, const char *how, uint32_t process) {
  if (s->processes && process < names_count(s->processes))
    text_printf(out, "%s %s", how, names_at(s->processes, process));
  else
    text_printf(out, "%s process %u", how, process);
}

static void print(const struct spec *s, struct state state, struct text *out) {
  uint32_t n;
  const uint32_t *w = state_words(state, &n);
  if (!w[0] && !w[1] && n == 2) text_add(out, "free");
  if (w[0]) print_holder(s, out, "written by", w[0] - 1);
  if (w[1]) print_holder(s, out, "read upgradably by", w[1] - 1);
  for (uint32_t i = 2; i < n; i++) print_holder(s, out, i > 2 ? " and" : w[1] ? ", read by" : "read by", w[i] - 1);
}

static uint32_t elements(const struct spec *s, struct state state) { return elements_words(s, state) - 2; }

static void rename_state(const struct spec *s, struct state state, const uint8_t *name, struct outcomes *out) {
  (void)s;
  uint32_t n;
  const uint32_t *w = state_words(state, &n);
  uint32_t *to = add_words(out, V_NONE, n);
  for (uint32_t i = 0; i < 2; i++) to[i] = w[i] ? name[w[i] - 1] + 1u : 0;
  for (uint32_t i = 2; i < n; i++) {
    uint32_t at = i, reader = name[w[i] - 1] + 1u;
    for (; at > 2 && to[at - 1] > reader; at--) to[at] = to[at - 1];
    to[at] = reader;
  }
}

static void alone(const struct spec *s, struct state state, uint32_t process, struct outcomes *out) {
  (void)s;
  uint32_t n, count = 0, me = process + 1;
  const uint32_t *w = state_words(state, &n);
  for (uint32_t i = 2; i < n; i++) count += w[i] == me;
  uint32_t *to = add_words(out, V_NONE, count + 2);
  for (uint32_t i = 0; i < 2; i++) to[i] = w[i] == me ? me : 0;
  for (uint32_t i = 0; i < count; i++) to[i + 2] = me;
}

const struct spec spec_upgrade_lock = {
    .name = "upgradable-rw-lock",
    .aliases = "upgrade-mutex upgrade-lock rw-lock-with-upgrade",
    .summary = "one writer, or readers and at most one upgradable reader; upgrade waits to be the only holder and then "
               "writes",
    .ops = ops,
    .op_count = 14,
    .family = FAMILY_UPGRADE_LOCK,
    .by_process = true,
    .init = init,
    .step = step,
    .print = print,
    .elements = elements,
    .rename = rename_state,
    .alone = alone};
