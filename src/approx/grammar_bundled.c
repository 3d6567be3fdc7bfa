/* The grammars that come with Asif.
 *
 * Processes are forgotten: who releases a lock is not told, only that it is held. The words are all executions of the
 * specification with processes forgotten (tests/test_approx_grammar.c), so that what no word has is no execution of it.
 */
#include "approx/grammar.h"

#include <string.h>

/* An automaton: all its states may be the last. */
static const char lock[] = "# A lock: free or held.\n"
                           "Free -> acquire Held | try => true Held | empty;\n"
                           "Held -> release Free | try => false Held | empty;\n";

static const char rw_lock[] =
    "# A readers-writer lock. Reading: some hold it for reading, and at the end as many as at its beginning.\n"
    "Free -> read Reading unread Free | write Writing unwrite Free | empty;\n"
    "Reading -> read Reading unread Reading | try-write => false Reading | empty;\n"
    "Writing -> try-write => false Writing | try-read => false Writing | empty;\n"
    "read -> read-lock | try-read => true;\n"
    "unread -> read-unlock | unlock;\n"
    "write -> write-lock | try-write => true;\n"
    "unwrite -> write-unlock | unlock;\n";

static const char snzi[] =
    "# Zero: as many have departed as arrived. Surplus: more have arrived, until one more has departed.\n"
    "Zero -> arrive Surplus Zero | query => false Zero | empty;\n"
    "Surplus -> arrive Surplus Surplus | query => true Surplus | depart;\n";

static const char mailbox[] =
    "# Letter: there is one more, until one more is removed. Seen: the same after a check that said so.\n"
    "Nothing -> deliver Letter Nothing | check => false Nothing | empty;\n"
    "Letter -> deliver Letter Letter | check => true Seen;\n"
    "Seen -> deliver Seen Letter | check => true Seen | remove;\n";

/* Permit: there is one more, until it is taken. n of them at first, by doubling: 13 is 8, 4 and 1. */
static void semaphore(const struct spec *s, struct text *t, const char *unused) {
  (void)unused;
  text_printf(t, "# A semaphore with %u permit%s at first. Permit: one more, until it is taken.\nStart ->", s->k,
              s->k == 1 ? "" : "s");
  for (unsigned bit = 32; bit-- > 0;)
    if (s->k >> bit & 1) text_printf(t, bit ? " Permits%u" : " Permit", 1u << bit);
  text_add(t, " Zero;\nZero -> give Permit Zero | try() => false Zero | try(1) => false Zero | empty;\n"
              "Permit -> give Permit Permit | acquire() | acquire(1) | try() => true | try(1) => true;\n"
              "give -> release() | release(1);\n");
  for (unsigned bit = 1; bit < 32 && s->k >> bit; bit++)
    if (bit == 1)
      text_add(t, "Permits2 -> Permit Permit;\n");
    else
      text_printf(t, "Permits%u -> Permits%u Permits%u;\n", 1u << bit, 1u << (bit - 1), 1u << (bit - 1));
  text_add(t, "outside acquire(_), release(_), try(_);\n");
}

enum { LEVELS_MOST = 32 };

/* A bounded buffer, of which only the number inside is told: an automaton, if that is small. A larger one may be full
 * at any time. */
static void buffer(const struct spec *s, struct text *t, const char *put) {
  if (s->k > LEVELS_MOST) {
    text_printf(
        t,
        "# A buffer for many values, which may be full at any time. Inside: there is one more, until it is taken.\n"
        "Empty -> %s => ok Inside Empty | %s => full Empty | deq => empty Empty | empty;\n"
        "Inside -> %s => ok Inside Inside | %s => full Inside | deq => value;\n",
        put, put, put, put);
    return;
  }
  text_printf(t, "# A buffer for %u values: how many are inside.\n", s->k);
  for (unsigned i = 0; i <= s->k; i++) {
    text_printf(t, "Inside%u ->", i);
    if (i < s->k)
      text_printf(t, " %s => ok Inside%u |", put, i + 1);
    else
      text_printf(t, " %s => full Inside%u |", put, i);
    if (i)
      text_printf(t, " deq => value Inside%u | empty;\n", i - 1);
    else
      text_add(t, " deq => empty Inside0 | empty;\n");
  }
}

static void fixed(const struct spec *s, struct text *t, const char *text) {
  (void)s;
  text_add(t, text);
}

static const struct {
  enum spec_family family;
  bool bounded;
  void (*write)(const struct spec *, struct text *, const char *);
  const char *text;
} all[] = {{FAMILY_LOCK, false, fixed, lock},
           {FAMILY_RW_LOCK, false, fixed, rw_lock},
           {FAMILY_SNZI, false, fixed, snzi},
           {FAMILY_MAILBOX, false, fixed, mailbox},
           {FAMILY_SEMAPHORE, false, semaphore, NULL},
           {FAMILY_QUEUE, true, buffer, "enq"},
           {FAMILY_PRIORITY_QUEUE, true, buffer, "insert"}};
enum { ALL = sizeof all / sizeof *all };

static size_t find(const struct spec *s) {
  size_t i = 0;
  while (i < ALL && (s->family != all[i].family || s->bounded != all[i].bounded || s->weak)) i++;
  return i;
}

bool grammar_exists(const struct spec *s) { return find(s) < ALL; }

const char *grammar_bundled(struct mem *m, const struct spec *s) {
  struct text t;
  size_t i = find(s);
  if (i == ALL) return NULL;
  text_open(&t, m);
  all[i].write(s, &t, all[i].text);
  return text_string(&t);
}
