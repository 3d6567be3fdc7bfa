/* Threads that halt after an iteration that changed nothing, calls and returns in all orders without exploring them,
 * and threads that make the same calls: random programs with loops of every kind, searched with and without all that.
 * What is found is the same. Of the histories some are left out, those in which an operation was called earlier than it
 * had to be: each of these has one with the same results and no fewer operations in order. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "test.h"
#include "test/explore.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define RUNS() test_skip("registers are not looked at under the sanitizers")
#else
#define RUNS() (void)0
#endif

static uint64_t state;
static unsigned draw(unsigned below) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(state >> 33) % below;
}

/* Programs. */

enum { OPS = 8, CALLS = 6 };
static const char *const words[] = {"x", "y", "z"};
static const char *word(void) { return words[draw(3)]; }
static bool by_waits;
static bool is_strong(void) { return draw(3) ? !by_waits : by_waits; }
static const char *order(void) {
  return is_strong() ? "__ATOMIC_SEQ_CST" : draw(2) ? "__ATOMIC_ACQ_REL" : "__ATOMIC_RELAXED";
}
static const char *load_order(void) {
  return is_strong() ? "__ATOMIC_SEQ_CST" : draw(2) ? "__ATOMIC_ACQUIRE" : "__ATOMIC_RELAXED";
}
static const char *store_order(void) {
  return is_strong() ? "__ATOMIC_SEQ_CST" : draw(2) ? "__ATOMIC_RELEASE" : "__ATOMIC_RELAXED";
}

/* ASIF_ATOMIC blocks with several accesses, which depend on what was read, and with allocations and frees. Programs of
 * these have no other accesses of u and v. */
static bool by_blocks;
static void block_statement(FILE *f) {
  unsigned i = draw(3), k = draw(3), n = 1 + draw(2);
  switch (draw(15)) {
  case 0: fprintf(f, "  ASIF_ATOMIC { u[%u] += %u; }\n", i, n); break;
  case 1: fprintf(f, "  ASIF_ATOMIC { r = r * 5 + u[%u] + 3 * u[%u]; }\n", i, k); break;
  case 2: fprintf(f, "  ASIF_ATOMIC { if (u[%u]) { u[%u]--; u[%u]++; r = r * 5 + 1; } }\n", i, i, k); break;
  case 3: fprintf(f, "  ASIF_ATOMIC { u[u[%u] %% 3] += %u; }\n", i, n); break;
  case 4: /* what was read decides what is accessed */
    fprintf(f, "  ASIF_ATOMIC { if (u[%u] == %u) r = r * 5 + u[%u]; else u[%u] = %u; }\n", i, k, k, (i + n) % 3, n);
    break;
  case 5: /* a double compare-and-exchange, until it is done */
    fprintf(
        f,
        "  for (int done = 0; !done;) { long s, t; ASIF_ATOMIC { s = u[%u]; t = u[%u]; } ASIF_ATOMIC { if (u[%u] == "
        "s && u[%u] == t) { u[%u] = s + %u; done = 1; } } r = r * 5 + t; }\n",
        i, k, i, k, i, n);
    break;
  case 6: /* waits, but not for ever */
    fprintf(f, "  for (int done = 0, i = 0; !done && i < 2; i++) ASIF_ATOMIC { done = u[%u] != %u; }\n", i, k);
    break;
  case 7:
    fprintf(f, "  { struct node *n = malloc(sizeof *n); n->value = %u; ASIF_ATOMIC { n->next = v; v = n; } }\n", n);
    break;
  case 8:
    fprintf(f,
            "  ASIF_ATOMIC { struct node *n = malloc(sizeof *n); n->value = %u; n->next = v; if (u[%u] != %u) v = n; "
            "else free(n); }\n",
            n, i, k);
    break;
  case 9: /* out; it is freed in the block or after it */
    fprintf(f, "  { struct node *t; ASIF_ATOMIC { t = v; if (t) v = t->next; %s } if (t) { %s } }\n",
            k ? "" : "if (t) { r = r * 5 + t->value; free(t); }", k ? "r = r * 5 + t->value; free(t);" : "r++;");
    break;
  case 10: /* looks into what may be freed next */
    fprintf(f, "  ASIF_ATOMIC { if (v) r = r * 5 + v->value + (v->next != 0); }\n");
    break;
  case 11: /* a stack by pairs of blocks, with ABA */
    fprintf(
        f,
        "  { struct node *t, *next = 0; for (int done = 0; !done;) { ASIF_ATOMIC { t = v; if (t) next = t->next; } if "
        "(!t) break; ASIF_ATOMIC { if (v == t) { v = next; done = 1; } } } if (t) { r = r * 5 + t->value; %s } }\n",
        k ? "free(t);" : "");
    break;
  case 12:
    fprintf(f, "  ASIF_ATOMIC { r = r * 5 + __atomic_fetch_add(&%s, %u, %s); u[%u]++; }\n", word(), n, order(), i);
    break;
  case 13: /* plain memory that blocks hand over, or do not */
    fprintf(f, "  %s ASIF_ATOMIC { u[%u] = 1; } %s\n", n == 1 ? "p++;" : "", i, n == 2 ? "if (r) p++;" : "");
    break;
  default:
    fprintf(
        f,
        "  { long got; ASIF_ATOMIC { got = u[%u]; u[%u] = 0; } if (got) { p += got; ASIF_ATOMIC { u[%u] = got; } } }\n",
        i, i, i);
  }
}

/* Mutexes, tried and waited for: sections that change nothing, of whichever parts; loops around them; threads that see
 * that one is locked and do something else then; two that may wait for each other for ever. */
static bool by_locks;
static void lock_statement(FILE *f) {
  const char *a = word(), *b = word();
  unsigned i = draw(2), j = draw(2), k = draw(3), n = 1 + draw(2);
  unsigned spins = !draw(4), w = spins ? 2 : i;
  const char *lock = spins ? "pthread_spin_lock(&sp)"
                     : i   ? "LOCK(1)"
                           : "LOCK(0)",
             *try = spins ? "pthread_spin_trylock(&sp)"
                    : i   ? "TRY(1)"
                          : "TRY(0)",
             *unlock = spins ? "pthread_spin_unlock(&sp)"
                       : i   ? "UNLOCK(1)"
                             : "UNLOCK(0)";
  switch (draw(16)) {
  case 0: fprintf(f, "  %s; r = r * 5 + q[%u]; q[%u] += %u; %s;\n", lock, w, draw(8) ? w : j, draw(2), unlock); break;
  case 1: fprintf(f, "  while (%s) ;\n  q[%u] += %u; %s;\n", try, w, n, unlock); break;
  case 2: fprintf(f, "  if (!%s) { r = r * 5 + q[%u]; %s; } else r += %u;\n", try, w, unlock, n); break;
  case 3: /* looks at something with the mutex locked */
    fprintf(f, "  for (;;) { %s; long t = q[%u] + __atomic_load_n(&%s, 5); %s; if (t != %u) break; }\n", lock, w, a,
            unlock, k + 7 * (draw(3) > 0));
    break;
  case 4: /* waits, and does others' work meanwhile */
    fprintf(f,
            "  { long t = 0; while (!CAS(&%s, &t, %u, 5)) { if (!%s) { if (__atomic_load_n(&%s, 5)) "
            "__atomic_store_n(&%s, 0, %s); %s; } t = 0; } }\n",
            a, n, try, b, draw(2) ? a : b, store_order(), unlock);
    break;
  case 5: /* one in the other */
    fprintf(f, "  LOCK(%u); LOCK(%u); r = r * 5 + __atomic_load_n(&%s, 5); %s UNLOCK(%u); UNLOCK(%u);\n", i, !i, a,
            draw(2) ? "q[0]++;" : "", !i, i);
    break;
  case 6: /* locks, and looks again */
    fprintf(f,
            "  for (;;) { long t = __atomic_load_n(&%s, 5); %s; if (__atomic_load_n(&%s, %s) == t) { "
            "__atomic_store_n(&%s, t + %u, 5); %s; break; } %s; }\n",
            a, lock, a, load_order(), draw(2) ? a : b, n, unlock, unlock);
    break;
  case 7: /* others do the work, or oneself */
    fprintf(f,
            "  while (__atomic_load_n(&%s, 5) == %u) { if (%s) continue; if (__atomic_load_n(&%s, 5) == %u) "
            "__atomic_store_n(&%s, %u, 5); %s; }\n",
            a, k, try, b, k, a, k + 1, unlock);
    break;
  case 8: fprintf(f, "  %s; __atomic_store_n(&%s, %u, %s); %s;\n", lock, a, k, store_order(), unlock); break;
  case 9: /* who finds it taken says so */
    fprintf(f, "  if (%s) { %s } else %s;\n", try, draw(8) ? "__atomic_store_n(&z, 3, 5);" : "p++;", unlock);
    break;
  case 10: /* tries one with the other locked */
    fprintf(f, "  LOCK(%u); if (!TRY(%u)) { r += q[%u]; UNLOCK(%u); } else r += %u; UNLOCK(%u);\n", i, !i, j, !i, n, i);
    break;
  case 11: /* backs off */
    fprintf(f, "  for (;;) { LOCK(%u); if (!TRY(%u)) break; UNLOCK(%u); }\n  q[%u]++; UNLOCK(%u); UNLOCK(%u);\n", i, !i,
            i, j, !i, i);
    break;
  case 12: /* several sections in a row, of which the last matters */
    fprintf(f,
            "  { long t = 0, s; do { LOCK(%u); s = __atomic_load_n(&%s, 5); UNLOCK(%u); LOCK(%u); t = "
            "__atomic_load_n(&%s, 5); UNLOCK(%u); } while (s != t && t < 3); r = r * 5 + t; }\n",
            i, a, i, j, draw(2) ? a : b, j);
    break;
  case 13: /* with parts that are indivisible */
    fprintf(f, "  for (int d = 0; !d;) { %s; ASIF_ATOMIC { if (%s != %u) { d = 1; q[%u] += %u; } } %s; }\n", lock, a,
            k + 7 * (draw(3) > 0), w, draw(2), unlock);
    break;
  case 14: /* one that counts */
    fprintf(f,
            "  for (int d = 0; !d;) { pthread_mutex_lock(&again); pthread_mutex_lock(&again); d = __atomic_load_n(&%s, "
            "5) != %u; pthread_mutex_unlock(&again); %s pthread_mutex_unlock(&again); }\n",
            a, k + 7 * (draw(3) > 0), draw(2) ? "s++;" : "");
    break;
  default: /* goes on with it locked, and a loop in there */
    fprintf(f, "  %s; { long t; do t = __atomic_load_n(&%s, 5); while (!CAS(&%s, &t, t + %u, %s)); } %s;\n", lock, a, a,
            n, order(), unlock);
  }
}

/* Loops that wait: for a flag, for a turn, for a lock, for what another takes or leaves; and what ends their waiting.
 */
static void wait_statement(FILE *f) {
  const char *a = word(), *b = word();
  unsigned k = draw(3), n = 1 + draw(2);
  switch (draw(16)) {
  case 0: fprintf(f, "  while (__atomic_load_n(&%s, %s) == %u) ;\n", a, load_order(), k); break;
  case 1: fprintf(f, "  while (__atomic_load_n(&%s, %s) < %u) ;\n", a, load_order(), n); break;
  case 2:
  case 3: fprintf(f, "  __atomic_store_n(&%s, %u, %s);\n", a, n, store_order()); break;
  case 4: /* a ticket lock */
    fprintf(f,
            "  { long t = __atomic_fetch_add(&u[0], 1, %s); while (__atomic_load_n(&u[1], %s) != t) ; r = r * 5 + "
            "__atomic_load_n(&%s, 0); __atomic_store_n(&%s, %u, 0); __atomic_store_n(&u[1], t + 1, %s); }\n",
            order(), load_order(), a, a, n, store_order());
    break;
  case 5: /* test and set: a try that fails writes what was there */
    fprintf(f,
            "  while (__atomic_%s(&lock, 1, %s)) ;\n  r = r * 5 + __atomic_load_n(&%s, 0); __atomic_store_n(&%s, %u, "
            "0);\n  __atomic_store_n(&lock, 0, %s);\n",
            draw(2) ? "exchange_n" : "fetch_or", order(), a, draw(2) ? a : b, n, store_order());
    break;
  case 6: /* a handshake */
    fprintf(f, "  __atomic_store_n(&%s, %u, %s); while (!__atomic_load_n(&%s, %s)) ;\n", a, n, store_order(), b,
            load_order());
    break;
  case 7: /* reads what fits, ... */
    fprintf(f,
            "  { long s, t; do { s = __atomic_load_n(&%s, %s); t = __atomic_load_n(&%s, %s); } while (s & 1 || s != "
            "__atomic_load_n(&%s, %s)); r = r * 5 + t; }\n",
            a, load_order(), b, load_order(), a, load_order());
    break;
  case 8: /* ... and writes it */
    fprintf(f, "  __atomic_fetch_add(&%s, 1, %s); __atomic_store_n(&%s, %u, %s); __atomic_fetch_add(&%s, 1, %s);\n", a,
            order(), b, n, store_order(), a, order());
    break;
  case 9: /* a retry loop */
    fprintf(f, "  { long t = __atomic_load_n(&%s, %s); while (!CAS(&%s, &t, t + %u, %s)) ; r = r * 5 + t; }\n", a,
            load_order(), a, n, order());
    break;
  case 10: /* waits with tries */
    fprintf(f, "  for (long t = %u; !CAS(&%s, &t, %u, %s); t = %u) ;\n", k, a, n, order(), k);
    break;
  case 11: /* takes what another leaves */
    fprintf(f, "  { long t; while (!(t = __atomic_exchange_n(&%s, 0, %s))) ; r = r * 5 + t; }\n", a, order());
    break;
  case 12: /* either; and not both for ever */
    fprintf(f, "  while (__atomic_load_n(&%s, %s) == %u && __atomic_load_n(&%s, %s) == 0) ;\n", a, load_order(), k, b,
            load_order());
    break;
  case 13: /* Dekker's: who comes second gives way */
    fprintf(f,
            "  __atomic_store_n(&%s, 1, %s); while (__atomic_load_n(&%s, %s)) { __atomic_store_n(&%s, 0, %s); r += 5; "
            "if (r > 9) break; __atomic_store_n(&%s, 1, %s); }\n",
            a, store_order(), b, load_order(), a, store_order(), a, store_order());
    break;
  case 14: fprintf(f, "  __atomic_thread_fence(%s);\n", order()); break;
  default: fprintf(f, "  r = r * 5 + __atomic_load_n(&%s, %s);\n", a, load_order());
  }
}

static void statement(FILE *f) {
  const char *a = word(), *b = word();
  unsigned k = draw(3), n = 1 + draw(2);
  if (by_waits) {
    wait_statement(f);
    return;
  }
  if (by_blocks && draw(3)) {
    block_statement(f);
    return;
  }
  if (by_locks && draw(4)) {
    lock_statement(f);
    return;
  }
  switch (draw(20)) {
  case 0: /* a retry loop that loads at its head, with local work */
    fprintf(f,
            "  { long t; do { t = __atomic_load_n(&%s, %s); %s } while (!CAS(&%s, &t, t + %u, %s)); r = r * 5 + t; }\n",
            a, load_order(), draw(2) ? "w[0] = (int)t; w[1] = w[0] * 3;" : "", a, n, order());
    break;
  case 1: /* one whose failed compare-and-exchange loads */
    fprintf(f, "  { long t = __atomic_load_n(&%s, %s); while (!CAS(&%s, &t, t + %u, %s)) ; r = r * 5 + t; }\n", a,
            load_order(), a, n, order());
    break;
  case 2: /* one that waits, but not too long */
    fprintf(f, "  for (int i = 0; i < %u && __atomic_load_n(&%s, %s) == %u; i++) ;\n", n + 1, a, load_order(), k);
    break;
  case 3: /* a spin lock */
    fprintf(
        f,
        "  while (__atomic_exchange_n(&lock, 1, %s)) ;\n  r = r * 5 + p; p += %u;\n  __atomic_store_n(&lock, 0, %s);\n",
        draw(4) ? "__ATOMIC_ACQUIRE" : order(), n, draw(4) ? "__ATOMIC_RELEASE" : store_order());
    break;
  case 4: /* ... that looks first */
    fprintf(f,
            "  for (long z0 = 0; __atomic_load_n(&lock, 0) || !CAS(&lock, &z0, 1, 5); z0 = 0) ;\n  p += %u;\n"
            "  __atomic_store_n(&lock, 0, 5);\n",
            n);
    break;
  case 5: /* two reads that must fit */
    fprintf(f,
            "  { long s, v; do { s = __atomic_load_n(&%s, %s); v = __atomic_load_n(&%s, %s); } while (s != "
            "__atomic_load_n(&%s, 5));"
            " r = r * 5 + s + v; }\n",
            a, load_order(), b, load_order(), a);
    break;
  case 6: /* the tries are counted */
    fprintf(f,
            "  { long t; int tries = 0; do { t = __atomic_load_n(&%s, 5); tries++; } while (!CAS(&%s, &t, t + %u, %s) "
            "&& tries < 3);"
            " r = r * 5 + tries; }\n",
            a, a, n, order());
    break;
  case 7: /* ASIF_ATOMIC, until it does something */
    fprintf(
        f,
        "  for (int done = 0, i = 0; !done && i < 2; %s) ASIF_ATOMIC { if (%s != %u) { %s = %s + %u; done = 1; } }\n",
        draw(2) ? "i++" : "i += !!__atomic_load_n(&z, 5)", a, k, b, b, n);
    break;
  case 8: fprintf(f, "  push(%u);\n", n); break;
  case 9: fprintf(f, "  r = r * 5 + pop();\n"); break;
  case 10: /* a node of one's own, written again in each try; what is expected lies in it */
    fprintf(f,
            "  { struct node *n = malloc(sizeof *n); n->next = __atomic_load_n(&top, %s); n->value = %u;"
            " while (!CAS(&top, &n->next, n, %s)) ; }\n",
            load_order(), n, order());
    break;
  case 11: /* waits for either */
    fprintf(f,
            "  for (int i = 0; i < 2; i++) while (__atomic_load_n(&%s, 5) == %u && __atomic_load_n(&%s, 5) == %u) if "
            "(i) break; else i++;\n",
            a, k, b, n);
    break;
  case 12:
    fprintf(f, "  while (__atomic_load_n(&%s, %s) == %u && __atomic_load_n(&%s, %s) == 0) ;\n", a, load_order(),
            k + 7 * (draw(3) > 0), b, load_order());
    break;
  case 13:
    fprintf(f,
            "  { long old = __atomic_load_n(&%s, 5), t; while ((t = __atomic_load_n(&%s, %s)) == old && "
            "__atomic_load_n(&%s, 5)) ; r += t; }\n",
            a, a, load_order(), b);
    break;
  case 14: fprintf(f, "  r = r * 5 + __atomic_load_n(&%s, %s);\n", a, load_order()); break;
  case 15: fprintf(f, "  __atomic_store_n(&%s, %u, %s);\n", a, k, store_order()); break;
  case 16: fprintf(f, "  r = r * 5 + __atomic_fetch_add(&%s, %u, %s);\n", a, n, order()); break;
  case 17: fprintf(f, "  { long t = %u; r = r * 5 + CAS(&%s, &t, %u, %s); }\n", k, a, n, order()); break;
  case 18: /* the value decides what is left of the loop */
    fprintf(f,
            "  { long t, last = 0; do { t = __atomic_load_n(&%s, 5); if (t == %u) last = t; } while (!CAS(&%s, &t, t + "
            "1, 5)); r = r * 5 + last; }\n",
            a, k, a);
    break;
  default: /* two loops, one in the other */
    fprintf(f,
            "  { long t, u; do { while ((t = __atomic_load_n(&%s, 5)) == %u && __atomic_load_n(&%s, 5) == 0 && r < 9) "
            "r += 5; u = t; }"
            " while (!CAS(&%s, &t, u ^ 1, %s)); }\n",
            a, k, b, a, order());
  }
}

/* The builtins as assembly: all of them, or every other one in the text. */
static const char by_assembly[] =
    "#define EITHER(a, b) ({ __auto_type r_ = (EVERY || __COUNTER__ & 1) ? (a) : (b); r_; })\n"
    "#define __atomic_load_n(at, o) \\\n"
    "  EITHER(({ __typeof__(*(at)) v_; __asm__ volatile(\"mov %1, %0\" : \"=r\"(v_) : \"m\"(*(at)) : \"memory\"); \\\n"
    "    v_; }), __atomic_load_n(at, o))\n"
    "#define __atomic_store_n(at, v, o) \\\n"
    "  EITHER(({ __typeof__(*(at)) v_ = (v); __asm__ volatile(\"mov %1, %0\" : \"=m\"(*(at)) : \"r\"(v_) : "
    "\"memory\"); \\\n"
    "    0; }), (__atomic_store_n(at, v, o), 0))\n"
    "#define __atomic_exchange_n(at, v, o) \\\n"
    "  EITHER(({ __typeof__(*(at)) v_ = (v); __asm__ volatile(\"xchg %0, %1\" : \"+r\"(v_), \"+m\"(*(at)) :: "
    "\"memory\"); \\\n"
    "    v_; }), __atomic_exchange_n(at, v, o))\n"
    "#define __atomic_fetch_add(at, v, o) \\\n"
    "  EITHER(({ __typeof__(*(at)) v_ = (v); __asm__ volatile(\"lock; xadd %0, %1\" : \"+r\"(v_), \"+m\"(*(at)) :: \\\n"
    "    \"memory\", \"cc\"); v_; }), __atomic_fetch_add(at, v, o))\n"
    "#define __atomic_compare_exchange_n(at, e, v, w, o, failed) \\\n"
    "  EITHER(({ __typeof__(*(at)) e_ = *(e), v_ = (v); _Bool z_; __asm__ volatile(\"lock; cmpxchg %3, %1; sete %0\" : "
    "\\\n"
    "    \"=q\"(z_), \"+m\"(*(at)), \"+a\"(e_) : \"r\"(v_) : \"memory\", \"cc\"); if (!z_) *(e) = e_; z_; }), \\\n"
    "    __atomic_compare_exchange_n(at, e, v, w, o, failed))\n";

/* What only assembly has: loops inside of a statement, updates without a lock prefix, jumps out of it. */
static void assembly_statement(FILE *f) {
  const char *a = word(), *b = word();
  unsigned n = 1 + draw(2);
  switch (draw(6)) {
  case 0: /* tests, then tests and sets; all in one */
    fprintf(
        f,
        "  { long one; __asm__ volatile(\"1: movl $1, %%k0; xchgq %%0, %%1; testq %%0, %%0; jz 3f; 2: pause; cmpq $0, "
        "%%1; jne 2b; jmp 1b; 3:\" : \"=&r\"(one), \"+m\"(lock) :: \"memory\", \"cc\"); r = r * 5 + p; p += %u;\n"
        "  __asm__ volatile(\"%s\" : \"+m\"(lock) :: \"memory\", \"cc\"); }\n",
        n, draw(2) ? "movq $0, %0" : "decq %0");
    break;
  case 1: /* a retry loop */
    fprintf(f,
            "  { long t, u; __asm__ volatile(\"1: movq %%2, %%0; leaq %u(%%0), %%1; lock cmpxchgq %%1, %%2; jne 1b\" : "
            "\"=&a\"(t), \"=&r\"(u), \"+m\"(%s) :: \"memory\", \"cc\"); r = r * 5 + t; }\n",
            n, a);
    break;
  case 2: /* the bit of a word, and a jump out of the statement */
    fprintf(
        f,
        "  { __label__ again; again: __asm__ goto(\"lock btsq $3, %%0; jc %%l1\" :: \"m\"(lock) : \"memory\", \"cc\" "
        ": again); p += %u; __asm__ volatile(\"lock; btrq $3, %%0\" : \"+m\"(lock) :: \"memory\", \"cc\"); }\n",
        n);
    break;
  case 3: /* two steps */
    fprintf(f, "  __asm__ volatile(\"%sq $%u, %%0\" : \"+m\"(%s) :: \"memory\", \"cc\");\n",
            draw(3)   ? "add"
            : draw(2) ? "or"
                      : "and",
            n, a);
    break;
  case 4: /* a few tries, counted in a register or in memory of one's own */
    fprintf(
        f,
        "  { long i = 0; __asm__ volatile(\"1: cmpq $%u, %%1; jne 2f; cmpq $0, %%2; jne 2f; inc%s %%0; cmpq $2, %%0; "
        "jb 1b; 2:\" : \"+%s\"(i) : \"m\"(%s), \"m\"(%s) : \"memory\", \"cc\"); r = r * 5 + i; }\n",
        draw(3), "q", draw(2) ? "r" : "m", a, b);
    break;
  default: /* a compare-and-exchange of which each half is seen by others */
    fprintf(f,
            "  { long t = %u, u = %u; __asm__ volatile(\"cmpxchgq %%2, %%1\" : \"+a\"(t), \"+m\"(%s) : \"r\"(u) : "
            "\"memory\", \"cc\"); r = r * 5 + t; }\n",
            draw(3), n, a);
  }
}

enum { BY_BUILTINS, BY_ASSEMBLY, BY_EITHER, BY_BLOCKS, BY_LOCKS, BY_WAITS };

static void write_program(const char *path, int by) {
  FILE *f = fopen(path, "w");
  CHECK(f);
  by_blocks = by == BY_BLOCKS;
  by_locks = by == BY_LOCKS;
  by_waits = by == BY_WAITS;
  if (by_blocks || by_locks || by_waits) by = BY_BUILTINS;
  if (by_locks) fprintf(f, "#define _GNU_SOURCE\n");
  if (by) fprintf(f, "#include <asif.h>\n#define EVERY %d\n%s", by == BY_ASSEMBLY, by_assembly);
  fprintf(f,
          "#include <asif.h>\n#include <stdlib.h>\nstatic long x, y, z, lock, p, u[3];\n"
          "#define CAS(at, expected, now, order) \\\n"
          "  __atomic_compare_exchange_n(at, expected, now, 0, order, (order) == 4 ? 2 : (order) == 3 ? 0 : (order))\n"
          "struct node { struct node *next; int value; };\nstatic struct node *top, *v;\n");
  if (by_locks)
    fprintf(
        f,
        "#include <pthread.h>\nstatic pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, "
        "PTHREAD_MUTEX_INITIALIZER}, again = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;\nstatic pthread_spinlock_t sp;\n"
        "static long q[3], s;\n"
        "#define LOCK(i) pthread_mutex_lock(&m[i])\n#define TRY(i) pthread_mutex_trylock(&m[i])\n"
        "#define UNLOCK(i) pthread_mutex_unlock(&m[i])\n");
  const char *o = order(), *frees = draw(2) ? "" : draw(2) ? "  free(t);\n" : "  if (v == 1) free(t);\n";
  fprintf(f,
          "static void push(int v) {\n  struct node *n = malloc(sizeof *n), *t;\n  %s\n"
          "  do { t = __atomic_load_n(&top, 5); n->next = t; } while (!CAS(&top, &t, n, %s));\n}\n",
          draw(2) ? "n->value = v;" : "__atomic_store_n(&n->value, v, 0);", o);
  fprintf(f,
          "static int pop(void) {\n  struct node *t, *next;\n  do {\n    t = __atomic_load_n(&top, %s);\n    if (!t) "
          "return 0;\n"
          "    next = t->next;\n  } while (!CAS(&top, &t, next, %s));\n  int v = t->value;\n%s  return v;\n}\n",
          draw(2) ? "__ATOMIC_ACQUIRE" : "5", order(), frees);
  for (int i = 0; i < OPS; i++) {
    fprintf(f, "static long op%d(void) {\n  long r = 0;\n  volatile int w[2];\n", i);
    for (unsigned n = 1 + draw(2); n; n--)
      if (by && !draw(3))
        assembly_statement(f);
      else
        statement(f);
    fprintf(f, "  (void)w;\n  return r;\n}\n");
  }
  fprintf(f, "ASIF_OBJECT(self)\n");
  for (int i = 0; i < OPS; i++) fprintf(f, "ASIF_OP(op%d)\n", i);
  fclose(f);
}

/* What a search sees. Under a weak memory model the order of calls and returns is none that can be seen. */

static enum memory_model memory;

struct seen {
  uint8_t found;
  uint32_t returned;
  uint64_t before; /* bit CALLS * i + j: call i returned before call j was made */
  long result[CALLS];
  char said[160];
};
struct sights {
  struct seen *at;
  size_t count, room;
  uint64_t schedules, most;
  bool too_many;
  struct hashes *set;
};

static enum visit look(void *self, const struct run *r) {
  struct sights *s = self;
  struct seen now = {.found = (uint8_t)r->found};
  size_t called_at[CALLS], returned_at[CALLS];
  CHECKF(r->found != FOUND_UNSUPPORTED, "%s", r->said);
  bool waits = r->found == FOUND_LIVELOCK || r->found == FOUND_DEADLOCK;
  if (++s->schedules >= s->most || r->end == RUN_LONG) { /* where it does not end nothing is compared */
    s->too_many = true;
    return VISIT_STOP;
  }
  memset(called_at, -1, sizeof called_at);
  memset(returned_at, -1, sizeof returned_at);
  for (size_t i = 0; i < r->moment_count && (!r->found || waits); i++) {
    const struct moment *m = &r->moments[i];
    if (m->is_return) {
      now.returned |= 1u << m->call;
      now.result[m->call] = m->result;
      returned_at[m->call] = i;
    } else {
      called_at[m->call] = i;
    }
  }
  for (unsigned i = 0; memory == MEMORY_SC && i < CALLS; i++)
    for (unsigned j = 0; j < CALLS; j++)
      if (returned_at[i] != SIZE_MAX && called_at[j] != SIZE_MAX && returned_at[i] < called_at[j])
        now.before |= (uint64_t)1 << (CALLS * i + j);
  if (r->found && !waits) snprintf(now.said, sizeof now.said, "%s", r->said);
  uint64_t h = hash_bytes(&now, offsetof(struct seen, said));
  if (hashes_add(s->set, (struct hash){h, hash_mix(h ^ 1)}, 0) != HASH_NEW) return VISIT_ON;
  if (s->count == s->room) {
    s->room = s->room ? 2 * s->room : 256;
    s->at = realloc(s->at, s->room * sizeof *s->at);
    CHECK(s->at);
  }
  s->at[s->count++] = now;
  return VISIT_ON;
}

/* The same with calls renamed. */
static bool is_as(const struct seen *o, const struct seen *one, const unsigned *to, bool exactly) {
  if (o->found != one->found) return false;
  for (unsigned i = 0; i < CALLS; i++) {
    if ((o->returned >> to[i] & 1) != (one->returned >> i & 1) || o->result[to[i]] != one->result[i]) return false;
    for (unsigned j = 0; j < CALLS; j++) {
      bool before = o->before >> (CALLS * to[i] + to[j]) & 1, was = one->before >> (CALLS * i + j) & 1;
      if (exactly ? before != was : was && !before) return false;
    }
  }
  return true;
}

/* Is there one with the same results, and no fewer in order? exactly: the same. */
static bool has_as(const struct sights *s, const struct seen *one, const unsigned *to, bool exactly) {
  for (size_t i = 0; i < s->count; i++)
    if (is_as(&s->at[i], one, to, exactly)) return true;
  return false;
}
static bool has(const struct sights *s, const struct seen *one, bool exactly) {
  static const unsigned same[CALLS] = {0, 1, 2, 3, 4, 5};
  return has_as(s, one, same, exactly);
}

/* ... with threads exchanged that make the same calls: each of the threads from this one on becomes another. */
static bool has_alike(const struct sights *s, const struct seen *one, const struct client *c, unsigned *to,
                      unsigned thread, unsigned taken) {
  if (thread == c->threads) return has_as(s, one, to, false);
  for (unsigned t = 0; t < c->threads; t++) {
    if (taken >> t & 1 || !threads_alike(c, thread, t)) continue;
    for (uint32_t k = c->first[thread]; k < c->first[thread + 1]; k++) to[k] = c->first[t] + k - c->first[thread];
    if (has_alike(s, one, c, to, thread + 1, taken | 1u << t)) return true;
  }
  return false;
}

static bool search(const struct client *c, const struct strategy *how, bool block, uint64_t most, struct sights *s) {
  struct explore_counts counts;
  struct problem why;
  s->count = 0;
  s->schedules = 0;
  s->most = most;
  s->too_many = false;
  s->set = hashes_open_own((size_t)1 << 28);
  CHECK(s->set);
  CHECKF(explore(c,
                 &(struct explore_options){.strategy = how,
                                           .cache = how->caches,
                                           .block = block,
                                           .orders = block,
                                           .alike = block,
                                           .weak = memory != MEMORY_SC},
                 NULL, NULL, look, s, &counts, &why),
         "%s", why.text);
  s->schedules = counts.schedules;
  hashes_close(s->set);
  return !s->too_many;
}

static void tell(const char *what, const struct seen *s) {
  fprintf(stderr, "%s: found %d %s, returned %x, before %llx, results", what, s->found, s->said, s->returned,
          (unsigned long long)s->before);
  for (int i = 0; i < CALLS; i++) fprintf(stderr, " %ld", s->result[i]);
  fprintf(stderr, "\n");
}

static struct { uint64_t compared, explored, blocked, fewer, findings; } sums;

/* Every schedule, one of each trace, and the same with threads that halt: the second sees what the first does. */
static void compare(const struct object *o, const struct client *c, struct mem *m, const char *path, uint64_t most) {
  static struct sights every, all, some;
  const struct strategy *dpor = &strategies[EXPLORE_DPOR];
  if (!search(c, &strategies[EXPLORE_ALL], false, most, &every)) return;
  uint64_t more = memory == MEMORY_SC ? 100 * most : 5 * most;
  if (!search(c, dpor, false, more, &all) || !search(c, dpor, true, more, &some)) return;
  bool good = true, races = false;
  for (size_t i = 0; i < every.count; i++) races |= every.at[i].found == FOUND_RACE;
  for (size_t i = 0; i < every.count; i++) {
    if (races && every.at[i].found != FOUND_RACE) continue; /* races end the runs that lead to others */
    if (!has(&all, &every.at[i], true)) good = false, tell("missed", &every.at[i]);
    unsigned to[CALLS] = {0, 1, 2, 3, 4, 5};
    if (!has_alike(&some, &every.at[i], c, to, 0, 0)) good = false, tell("missed where threads halt", &every.at[i]);
  }
  for (size_t i = 0; i < all.count; i++)
    if (!has(&every, &all.at[i], true)) good = false, tell("not there", &all.at[i]);
  for (size_t i = 0; i < some.count; i++)
    if (!has(&every, &some.at[i], true)) good = false, tell("not there where threads halt", &some.at[i]);
  sums.compared++;
  sums.explored += all.schedules;
  sums.blocked += some.schedules;
  sums.fewer += some.schedules < all.schedules;
  for (size_t i = 0; i < all.count; i++) sums.findings += all.at[i].found != 0;
  if (good) return;
  struct text t;
  text_open(&t, m);
  client_print(o, c, &t);
  CHECKF(false, "%s: %s: %llu schedules, %llu with threads that halt", path, text_string(&t),
         (unsigned long long)all.schedules, (unsigned long long)some.schedules);
}

static struct mem mem; /* for good: images are told apart by where they are */

static void open_object(char *path, const struct run_options *how, struct object *object) {
  struct problem why;
  struct image *image;
  struct compiled compiled;
  char *inputs[] = {path, NULL};
  static bool is_open;
  if (!is_open) mem_open(&mem, NULL);
  is_open = true;
  struct object_options o = {.inputs = inputs, .directory = compile_directory(&mem, &why)};
  CHECKF(o.directory && object_open(&mem, &o, &image, &compiled, object, &why), "%s: %s", path, why.text);
  compile_remove(o.directory);
  CHECKF(run_open(image, object->run_ops, object->op_count, object->init, how, &why), "%s", why.text);
}

TEST(pure_objects) {
  RUNS();
  static const struct {
    char *file;
    const char *client;
  } tried[] = {{"objects/treiber_stack.c", "push(1) pop() | push(2) | pop()"},
               {"objects/treiber_stack_free.c", "push(1) pop() | pop()"},
               {"objects/ms_queue.c", "enq(1) deq() | enq(2) deq()"},
               {"objects/ms_queue.c", "enq(1) | enq(2) deq() | deq()"},
               {"objects/combining_stack.c", "push(1) | pop()"}};
  for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
    struct object object;
    struct client c;
    struct problem why;
    open_object(tried[i].file, &(struct run_options){.races = true}, &object);
    CHECKF(client_parse(&mem, &object, tried[i].client, &c, &why), "%s", why.text);
    compare(&object, &c, &mem, tried[i].file, 1000000);
    CHECKF(sums.compared == i + 1, "%s: too many schedules", tried[i].client);
    fprintf(stderr, "%s: %llu of %llu\n", tried[i].client, (unsigned long long)sums.blocked,
            (unsigned long long)sums.explored);
  }
}

static void try_program(uint64_t seed, unsigned clients, int by) {
  struct object object;
  char path[64];
  snprintf(path, sizeof path, "/tmp/asif-pure-%d-%llu.c", (int)getpid(), (unsigned long long)seed);
  state = seed;
  write_program(path, by);
  bool weak = memory != MEMORY_SC, races = draw(4) > 0;
  open_object(path,
              &(struct run_options){.races = races || weak, .memory = memory, .reuse_all = weak, .steps_most = 150},
              &object);
  for (unsigned i = 0; i < clients; i++) {
    uint32_t first[4] = {0}; /* at most three threads, CALLS calls */
    struct call calls[CALLS] = {{0}};
    struct client c = {.threads = 2 + draw(2), .first = first, .calls = calls};
    for (unsigned t = 0; t < c.threads; t++) {
      bool again = t && draw(2); /* the same as the thread before */
      first[t + 1] = first[t] + (again ? first[t] - first[t - 1] : 1u + (draw(3) == 0));
      for (uint32_t k = first[t]; k < first[t + 1]; k++)
        calls[k].op = again ? calls[k - (first[t] - first[t - 1])].op : draw(OPS);
    }
    compare(&object, &c, &mem, path, 3000);
  }
  unlink(path);
}

static void try_programs(unsigned few, int by) {
  bool is_long = getenv("ASIF_LONG") != NULL;
  unsigned programs = is_long ? 3000 : few;
  uint64_t seed = getenv("ASIF_SEED") ? strtoull(getenv("ASIF_SEED"), NULL, 10) : 1;
  for (unsigned i = 0; i < programs; i++)
    try_program(seed + i, is_long ? 60 : 30, by == BY_ASSEMBLY ? by + (int)(i & 1) : by);
  fprintf(stderr, "%llu clients, in %llu fewer schedules: %llu instead of %llu; %llu findings\n",
          (unsigned long long)sums.compared, (unsigned long long)sums.fewer, (unsigned long long)sums.blocked,
          (unsigned long long)sums.explored, (unsigned long long)sums.findings);
  CHECK(sums.fewer > 0 && (sums.findings > 0 || memory != MEMORY_SC)); /* of the latter there are few programs */
}

/* The same under weak memory models, where a step has alternatives besides. */
TEST(pure_random_weak) {
  RUNS();
  memory = MEMORY_C11;
  try_programs(4, BY_BUILTINS);
  memory = MEMORY_TSO;
  try_programs(2, BY_BUILTINS);
}

/* ... of threads that wait. */
TEST(pure_random_waits) {
  RUNS();
  memory = MEMORY_C11;
  try_programs(5, BY_WAITS);
  memory = MEMORY_TSO;
  try_programs(3, BY_WAITS);
  memory = MEMORY_SC;
  try_programs(2, BY_WAITS);
}

TEST(pure_random_programs) {
  RUNS();
  try_programs(10, BY_BUILTINS);
}

TEST(pure_random_locks) {
  RUNS();
  try_programs(10, BY_LOCKS);
}

TEST(pure_random_blocks) {
  RUNS();
  try_programs(8, BY_BLOCKS);
}

#if defined(__x86_64__)
TEST(pure_random_assembly) {
  RUNS();
  if (system("gcc --version > /dev/null 2>&1")) test_skip("no gcc");
  try_programs(4, BY_ASSEMBLY);
}
#endif
