/* The families of Figure 4 (Bouajjani et al. 2015, section 7.1) as formulas that come with Asif.
 *
 * As printed, rv and fv miss what is never pushed and never popped, since quantifiers go over the labels that occur;
 * and pending operations are left out of account. Here: how many have begun and ended by an interval is counted, of a
 * value's pushes (one that is pending may have happened) and pops; a value that nobody has popped may have been taken
 * by a pending pop. So nothing is said of a linearizable history, with any number of pending operations and of
 * operations on the same value, and a value that is popped without ever having been pushed shows at k = 0.
 *
 * stays(x, i, j): of the values pushed (label x) by i at least one is there until after j. Its pops that have begun by
 * j are too few, and so are the pending pops that have begun by j, or what pending pops can have taken of it at all. */
#include <string.h>

#include "approx/formula.h"

#define COMMON(push, pop) \
  "forget balanced\n" \
  "\n" \
  "// Of the operations with a label: how many have begun by interval i, and how many have ended.\n" \
  "define begun(x, i) = total(x, 0, i)\n" \
  "define ended(x, i) = total(x, 0, k) - total(x, i + 1, k)\n" \
  "\n" \
  "define pushed(x) = is(x, " push ") and not pending(x)\n" \
  "define popped(y) = is(y, " pop ") and not pending(y) and result(y) != empty\n" \
  "define pushes(v, i) = begun(" push "(v), i) + begun(" push "(v) => pending, i)\n" \
  "define pops(v, i) = begun(" pop " => v, i)\n" \
  "define takers(j) = begun(" pop " => pending, j)\n" \
  "define untaken(v) = pushes(v, k) - pops(v, k)\n" \
  "define left(there, v, j) = there - pops(v, j) > takers(j) or there - pops(v, j) > untaken(v)\n" \
  "define stays(x, i, j) = left(ended(x, i), arg(x), j)\n" \
  "\n" \
  "// Remove violations (rv).\n" \
  "violation \"{result(y)} was removed more often than it was put in\":\n" \
  "  exists y: popped(y) and begun(y, k) > pushes(result(y), k)\n" \
  "violation \"{result(y)} was removed before it was put in\":\n" \
  "  exists y: popped(y) and some i in 0..k-1: ended(y, i) > pushes(result(y), i)\n" \
  "\n" \
  "// Empty violations (ev).\n" \
  "violation \"empty was returned while {arg(x)} was inside\":\n" \
  "  some i in 1..k, j in i..k: #(" pop " => empty, i, j) > 0 and\n" \
  "    exists x: pushed(x) and stays(x, i - 1, j)\n" \
  "violation \"empty was returned while more values were inside than pending operations can have removed\":\n" \
  "  some i in 1..k, j in i..k: #(" pop " => empty, i, j) > 0 and\n" \
  "    (count x: pushed(x) and ended(x, i - 1) > pops(arg(x), j)) > takers(j)\n" \
  "\n"

/* A value b that is pushed after i, and popped by j: then what was pushed by i has gone by j. */
static const char queue_text[] =
    "// What a queue must not show: the families rv, ev and fv.\n"
    "for queue\n" COMMON(
        "enq",
        "deq") "// Order violations (fv): y removes a value that came in after i, while x, in by i, stays.\n"
               "define late(y) = popped(y) and pushes(result(y), 0) = 0\n"
               "violation \"{result(y)} was removed before {arg(x)}, which had been put in first\":\n"
               "  exists y, x: late(y) and pushed(x) and\n"
               "    some i in 0..k-1, j in i+1..k: pushes(result(y), i) = 0 and ended(y, j) > 0 and stays(x, i, j)\n"
               "violation \"{result(y)} was removed before more values, put in first, than pending operations can have "
               "removed\":\n"
               "  exists y: late(y) and\n"
               "    some i in 0..k-1, j in i+1..k: pushes(result(y), i) = 0 and ended(y, j) > 0 and\n"
               "      (count x: pushed(x) and ended(x, i) > pops(arg(x), j)) > takers(j)\n";

/* A value a that is pushed by i (or after j) only, and popped after m, by j: then what was pushed in between, in (i,
 * m], has gone by j. */
static const char stack_text[] =
    "// What a stack must not show: the families rv, ev and lv.\n"
    "for stack\n" COMMON(
        "push",
        "pop") "// Order violations (lv): y removes, after m and by j, a value that came in by i, while x, in after i "
               "and by m, stays.\n"
               "define within(x, i, j) = sum a in i..j, b in a..j: #(x, a, b)\n"
               "define below(y, i, m, j) = within(y, m + 1, j) > 0 and total(push(result(y)), i + 1, j) = 0\n"
               "  and total(push(result(y)) => pending, 0, j) = 0\n"
               "define late(y) = popped(y) and total(y, 0, 1) < begun(y, k)\n"
               "violation \"{result(y)} was removed from below {arg(x)}\":\n"
               "  exists y: late(y) and\n"
               "    some i in 0..k-2, m in i+1..k-1, j in m+1..k: below(y, i, m, j) and\n"
               "      exists x: pushed(x) and left(within(x, i + 1, m), arg(x), j)\n"
               "violation \"{result(y)} was removed from below more values than pending operations can have "
               "removed\":\n"
               "  exists y: late(y) and\n"
               "    some i in 0..k-2, m in i+1..k-1, j in m+1..k: below(y, i, m, j) and\n"
               "      (count x: pushed(x) and within(x, i + 1, m) > pops(arg(x), j)) > takers(j)\n";

const char *const family_names[] = {"queue", "stack", NULL};

const char *family_named(const char *name) {
  static const char *const texts[] = {queue_text, stack_text};
  for (int i = 0; family_names[i]; i++)
    if (!strcmp(name, family_names[i])) return texts[i];
  return NULL;
}
