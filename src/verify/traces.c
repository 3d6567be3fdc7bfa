/* Spec sets as the other side of a refinement (traces.h). */
#include "verify/traces.h"

static uint32_t initial(void *self) { return specset_initial(self); }
static uint32_t step(void *self, uint32_t set, struct event e) { return specset_step(self, set, e); }
static bool may_call(void *self, uint32_t set, unsigned thread, uint16_t call) {
  return specset_may_call(self, set, thread, call);
}
static uint32_t call(void *self, uint32_t set, struct event e) { return specset_made_call(self, set, e); }
static uint32_t count(void *self) { return specsets_count(self); }
static void *share(void *self, struct mem *mem) { return specsets_share(self, mem); }
static bool within(void *self, uint32_t inner, uint32_t outer) { return specset_within(self, inner, outer); }
static void expect_within(void *self, uint32_t inner, uint32_t outer) { specset_expect_within(self, inner, outer); }
static uint32_t permute(void *self, uint32_t set, const uint8_t *from) { return specset_permute(self, set, from); }
static void expect(void *self, uint32_t set) { specset_expect(self, set); }
static const uint8_t *ranks(void *self, uint32_t set) { return specset_ranks(self, set); }
static bool alike(void *self, uint32_t set, unsigned i, unsigned j) { return specset_alike(self, set, i, j); }

static bool owes(void *self, uint32_t set) { return specset_owes(self, set); }

static void save(void *self, struct saving *out) { specsets_save(self, out); }
static bool load(void *self, struct loading *in) { return specsets_load(self, in); }

struct traces specsets_traces(struct specsets *sets) {
  return (struct traces){.self = sets,
                         .initial = initial,
                         .step = step,
                         .may_call = may_call,
                         .call = call,
                         .count = count,
                         .share = share,
                         .within = within,
                         .expect_within = expect_within,
                         .symmetric = specsets_symmetric(sets),
                         .permute = permute,
                         .expect = expect,
                         .ranks = ranks,
                         .alike = alike,
                         .owes = owes,
                         .save = save,
                         .load = load};
}
