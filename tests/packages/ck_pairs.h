/* What Concurrency Kit has as assembly only, by the compiler's builtins, for asif verify: a compare-and-exchange of two words at once.
 * Included before any of its other headers. ONE_WORD: a wrong one, which compares and exchanges the first word alone. */
#include <ck_pr.h>

struct ck_pair {
  void *word[2];
} __attribute__((aligned(16)));

static inline bool ck_pr_cas_ptr_2_value(void *target, void *compare, void *set, void *previous) {
  struct ck_pair *at = target, was = *(struct ck_pair *)compare, wanted = *(struct ck_pair *)set;
#ifdef ONE_WORD
  bool done = __atomic_compare_exchange_n(&at->word[0], &was.word[0], wanted.word[0], false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  if (done) __atomic_store_n(&at->word[1], wanted.word[1], __ATOMIC_SEQ_CST);
#else
  bool done = __atomic_compare_exchange(at, &was, &wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
#endif
  *(struct ck_pair *)previous = was;
  return done;
}

static inline bool ck_pr_cas_ptr_2(void *target, void *compare, void *set) {
  struct ck_pair previous;
  return ck_pr_cas_ptr_2_value(target, compare, set, &previous);
}

#define CK_F_PR_CAS_PTR_2
#define CK_F_PR_CAS_PTR_2_VALUE
