/* The functions that the front end knows by name, and the headers that declare them. */
#include "front/front.h"

/* Signatures are explained in call.c. Those of <stdio.h> and their like are known only to be refused by name. */
#define ATOMIC(name, builtin, plain, orders) \
  {"atomic_" name, HEADER_STDATOMIC, BUILTIN_##builtin, plain, OP_NONE}, { \
    "atomic_" name "_explicit", HEADER_STDATOMIC, BUILTIN_##builtin, plain orders, OP_NONE \
  }
#define GNU_FETCH(name, kind) \
  {"__atomic_fetch_" name, HEADER_ALWAYS, BUILTIN_ATOMIC_##kind, "vOvr", OP_NONE}, \
      {"__atomic_" name "_fetch", HEADER_ALWAYS, BUILTIN_ATOMIC_##kind, "VOvr", OP_NONE}, \
      {"__sync_fetch_and_" name, HEADER_ALWAYS, BUILTIN_ATOMIC_##kind, "vOv", OP_NONE}, { \
    "__sync_" name "_and_fetch", HEADER_ALWAYS, BUILTIN_ATOMIC_##kind, "VOv", OP_NONE \
  }
#define FETCH(name, kind, object) ATOMIC("fetch_" name, ATOMIC_##kind, "v" object "v", "r"), GNU_FETCH(name, kind)
/* Of unsigned, unsigned long and unsigned long long. */
#define BITS(name) \
  {"__builtin_" name, HEADER_ALWAYS, BUILTIN_BITS, "iU", OP_NONE}, \
      {"__builtin_" name "l", HEADER_ALWAYS, BUILTIN_BITS, "il", OP_NONE}, { \
    "__builtin_" name "ll", HEADER_ALWAYS, BUILTIN_BITS, "iq", OP_NONE \
  }
#define OVERFLOW(name, op) \
  { "__builtin_" name "_overflow", HEADER_ALWAYS, BUILTIN_OVERFLOW, "bIIT", op }
#define MUTEX(prefix, header, init) \
  {prefix "_init", header, BUILTIN_MUTEX_INIT, init, OP_NONE}, \
      {prefix "_lock", header, BUILTIN_MUTEX_LOCK, "ix", OP_NONE}, \
      {prefix "_trylock", header, BUILTIN_MUTEX_TRYLOCK, "ix", OP_NONE}, \
      {prefix "_unlock", header, BUILTIN_MUTEX_UNLOCK, "ix", OP_NONE}, { \
    prefix "_destroy", header, BUILTIN_MUTEX_DESTROY, "ix", OP_NONE \
  }
#define PLAIN(name, header, builtin, signature) \
  { name, header, BUILTIN_##builtin, signature, OP_NONE }
/* Also as the compiler's own builtin, which needs no header. */
#define BUILTIN(name, header, builtin, signature) \
  PLAIN(name, header, builtin, signature), PLAIN("__builtin_" name, HEADER_ALWAYS, builtin, signature)
#define MATH(name) \
  {name, HEADER_MATH, BUILTIN_MATH, "gg", OP_NONE}, {name "f", HEADER_MATH, BUILTIN_MATH, "ff", OP_NONE}, \
      {"__builtin_" name, HEADER_ALWAYS, BUILTIN_MATH, "gg", OP_NONE}, { \
    "__builtin_" name "f", HEADER_ALWAYS, BUILTIN_MATH, "ff", OP_NONE \
  }
#define REFUSED(name, header) \
  { name, header, BUILTIN_NONE, NULL, OP_NONE }

static const struct known known[] = {
    PLAIN("atomic_init", HEADER_STDATOMIC, ATOMIC_INIT, "0ov"),
    ATOMIC("load", ATOMIC_LOAD, "vo", "r"),
    ATOMIC("store", ATOMIC_STORE, "0ov", "r"),
    ATOMIC("exchange", ATOMIC_EXCHANGE, "vov", "r"),
    ATOMIC("compare_exchange_strong", ATOMIC_CAS, "boev", "rr"),
    ATOMIC("compare_exchange_weak", ATOMIC_CAS_WEAK, "boev", "rr"),
    FETCH("add", ADD, "P"),
    FETCH("sub", SUB, "P"),
    FETCH("or", OR, "O"),
    FETCH("xor", XOR, "O"),
    FETCH("and", AND, "O"),
    GNU_FETCH("nand", NAND),
    PLAIN("atomic_thread_fence", HEADER_STDATOMIC, ATOMIC_FENCE, "0r"),
    PLAIN("atomic_signal_fence", HEADER_STDATOMIC, ATOMIC_SIGNAL_FENCE, "0r"),
    ATOMIC("flag_test_and_set", FLAG_TEST_AND_SET, "bO", "r"),
    ATOMIC("flag_clear", FLAG_CLEAR, "0O", "r"),
    PLAIN("__atomic_load_n", HEADER_ALWAYS, ATOMIC_LOAD, "vor"),
    PLAIN("__atomic_store_n", HEADER_ALWAYS, ATOMIC_STORE, "0ovr"),
    PLAIN("__atomic_exchange_n", HEADER_ALWAYS, ATOMIC_EXCHANGE, "vovr"),
    PLAIN("__atomic_compare_exchange_n", HEADER_ALWAYS, ATOMIC_CAS, "boevwrr"),
    PLAIN("__atomic_load", HEADER_ALWAYS, ATOMIC_LOAD, "0oRr"),
    PLAIN("__atomic_store", HEADER_ALWAYS, ATOMIC_STORE, "0oDr"),
    PLAIN("__atomic_exchange", HEADER_ALWAYS, ATOMIC_EXCHANGE, "0oDRr"),
    PLAIN("__atomic_compare_exchange", HEADER_ALWAYS, ATOMIC_CAS, "boeDwrr"),
    PLAIN("__atomic_test_and_set", HEADER_ALWAYS, FLAG_TEST_AND_SET, "bOr"),
    PLAIN("__atomic_clear", HEADER_ALWAYS, FLAG_CLEAR, "0Or"),
    PLAIN("__atomic_thread_fence", HEADER_ALWAYS, ATOMIC_FENCE, "0r"),
    PLAIN("__atomic_signal_fence", HEADER_ALWAYS, ATOMIC_SIGNAL_FENCE, "0r"),
    PLAIN("__sync_bool_compare_and_swap", HEADER_ALWAYS, SYNC_CAS_BOOL, "bovv"),
    PLAIN("__sync_val_compare_and_swap", HEADER_ALWAYS, SYNC_CAS_VALUE, "vovv"),
    PLAIN("__sync_lock_test_and_set", HEADER_ALWAYS, ATOMIC_EXCHANGE, "vov"),
    PLAIN("__sync_lock_release", HEADER_ALWAYS, FLAG_CLEAR, "0O"),
    PLAIN("__sync_synchronize", HEADER_ALWAYS, ATOMIC_FENCE, "0"),
    PLAIN("__asif_self", HEADER_ALWAYS, SELF, "u"),
    PLAIN("__asif_sleep", HEADER_ALWAYS, SLEEP, "0p"),
    PLAIN("__asif_sleeps", HEADER_ALWAYS, SLEEPS, "u"),
    PLAIN("__asif_wake", HEADER_ALWAYS, WAKE, "ip"),
    PLAIN("__asif_wake_all", HEADER_ALWAYS, WAKE_ALL, "0p"),
    PLAIN("__asif_futex_word", HEADER_ALWAYS, ATOMIC_LOAD, "vy"),
    PLAIN("__asif_misuse", HEADER_ALWAYS, MISUSE, "0s"),
    PLAIN("__asif_mutex_init", HEADER_ALWAYS, MUTEX_INIT, "ixi"),
    PLAIN("__asif_await", HEADER_ALWAYS, AWAIT, "0c"),
    PLAIN("__asif_await_lock", HEADER_ALWAYS, AWAIT, "0c"),
    PLAIN("__asif_choose", HEADER_ALWAYS, CHOOSE, "ii"),
    PLAIN("__asif_limit", HEADER_ALWAYS, LIMIT, "0s"),
    PLAIN("__builtin_expect", HEADER_ALWAYS, EXPECT, "LLL"),
    PLAIN("__builtin_trap", HEADER_ALWAYS, ABORT, "0"),
    PLAIN("__builtin_abort", HEADER_ALWAYS, ABORT, "0"),
    PLAIN("__builtin_constant_p", HEADER_ALWAYS, TYPED, "*"),
    PLAIN("__builtin_object_size", HEADER_ALWAYS, TYPED, "*"),
    PLAIN("__builtin_dynamic_object_size", HEADER_ALWAYS, TYPED, "*"),
    PLAIN("__builtin_prefetch", HEADER_ALWAYS, TYPED, "*"),
    PLAIN("__builtin_assume_aligned", HEADER_ALWAYS, TYPED, "*"),
    PLAIN("__atomic_always_lock_free", HEADER_ALWAYS, TYPED, "*"),
    PLAIN("__atomic_is_lock_free", HEADER_ALWAYS, TYPED, "*"),
    PLAIN("atomic_is_lock_free", HEADER_STDATOMIC, TYPED, "*"),
    PLAIN("__builtin_unreachable", HEADER_ALWAYS, UNREACHABLE, "0"),
    BITS("ctz"),
    BITS("clz"),
    BITS("ffs"),
    BITS("popcount"),
    BITS("parity"),
    BITS("clrsb"),
    PLAIN("__builtin_bswap16", HEADER_ALWAYS, BITS, "HH"),
    PLAIN("__builtin_bswap32", HEADER_ALWAYS, BITS, "UU"),
    PLAIN("__builtin_bswap64", HEADER_ALWAYS, BITS, "ll"),
    OVERFLOW("add", OP_ADD),
    OVERFLOW("sub", OP_SUB),
    OVERFLOW("mul", OP_MUL),
    PLAIN("__builtin_abs", HEADER_ALWAYS, ABS, "ii"),
    PLAIN("__builtin_labs", HEADER_ALWAYS, ABS, "LL"),
    PLAIN("abs", HEADER_STDLIB, ABS, "ii"),
    PLAIN("labs", HEADER_STDLIB, ABS, "LL"),
    PLAIN("llabs", HEADER_STDLIB, ABS, "LL"),
    MATH("fabs"),
    MATH("sqrt"),
    MATH("floor"),
    MATH("ceil"),
    MATH("trunc"),
    BUILTIN("exit", HEADER_STDLIB, EXIT, "0i"),
    PLAIN("_Exit", HEADER_STDLIB, EXIT, "0i"),
    PLAIN("quick_exit", HEADER_STDLIB, EXIT, "0i"),
    PLAIN("__builtin_ia32_pause", HEADER_ALWAYS, YIELD, "0"),
    BUILTIN("malloc", HEADER_STDLIB, MALLOC, "pl"),
    BUILTIN("calloc", HEADER_STDLIB, CALLOC, "pll"),
    BUILTIN("aligned_alloc", HEADER_STDLIB, MALLOC, "pll"),
    BUILTIN("realloc", HEADER_STDLIB, REALLOC, "ppl"),
    BUILTIN("free", HEADER_STDLIB, FREE, "0p"),
    PLAIN("abort", HEADER_STDLIB, ABORT, "0"),
    PLAIN("rand", HEADER_STDLIB, RANDOM, "i."),
    PLAIN("random", HEADER_STDLIB, RANDOM, "L."),
    PLAIN("lrand48", HEADER_STDLIB, RANDOM, "L."),
    PLAIN("rand_r", HEADER_STDLIB, RANDOM, "i."),
    PLAIN("sysconf", HEADER_UNISTD, RANDOM, "L."),
    PLAIN("getpid", HEADER_UNISTD, RANDOM, "i."),
    PLAIN("gettid", HEADER_UNISTD, RANDOM, "i."),
    PLAIN("sched_getcpu", HEADER_SCHED, RANDOM, "i."),
    PLAIN("__asif_any", HEADER_ALWAYS, RANDOM, "L."),
    PLAIN("srand", HEADER_STDLIB, NOTHING, "0."),
    PLAIN("srandom", HEADER_STDLIB, NOTHING, "0."),
    REFUSED("atoi", HEADER_STDLIB),
    BUILTIN("memset", HEADER_STRING, MEMSET, "ppil"),
    BUILTIN("memcpy", HEADER_STRING, MEMCPY, "pppl"),
    BUILTIN("memmove", HEADER_STRING, MEMMOVE, "pppl"),
    BUILTIN("memcmp", HEADER_STRING, MEMCMP, "ippl"),
    MUTEX("pthread_mutex", HEADER_PTHREAD, "ixd"),
    MUTEX("pthread_spin", HEADER_PTHREAD, "ixm"),
    PLAIN("mtx_lock", HEADER_THREADS, MUTEX_LOCK, "ix"),
    PLAIN("mtx_trylock", HEADER_THREADS, MUTEX_TRYLOCK, "ix"),
    PLAIN("mtx_unlock", HEADER_THREADS, MUTEX_UNLOCK, "ix"),
    PLAIN("mtx_destroy", HEADER_THREADS, MUTEX_DESTROY, "0x"),
    REFUSED("pthread_create", HEADER_PTHREAD),
    REFUSED("pthread_join", HEADER_PTHREAD),
    REFUSED("thrd_create", HEADER_THREADS),
    REFUSED("thrd_join", HEADER_THREADS),
    PLAIN("sched_yield", HEADER_SCHED, YIELD, "i"),
    PLAIN("thrd_yield", HEADER_THREADS, YIELD, "0"),
    PLAIN("assert", HEADER_ASSERT, ASSERT, "0c"),
    PLAIN("ASIF_LIN", HEADER_ASIF, LIN, "0"),
    PLAIN("ASIF_LIN_FOR", HEADER_ASIF, LIN_FOR, "0n"),
    PLAIN("asif_choose", HEADER_ASIF, CHOOSE, "ii"),
    PLAIN("asif_require", HEADER_ASIF, REQUIRE, "0c"),
    PLAIN("asif_thread", HEADER_ASIF, THREAD, "i"),
    PLAIN("asif_process", HEADER_ASIF, THREAD, "i"),
    PLAIN("asif_yield", HEADER_ASIF, YIELD, "0"),
    REFUSED("asif_result", HEADER_ASIF),
    BUILTIN("printf", HEADER_STDIO, NOTHING, "I."),
    BUILTIN("fprintf", HEADER_STDIO, NOTHING, "I."),
    REFUSED("sprintf", HEADER_STDIO),
    BUILTIN("puts", HEADER_STDIO, NOTHING, "I."),
    BUILTIN("putchar", HEADER_STDIO, NOTHING, "I."),
    PLAIN("fputs", HEADER_STDIO, NOTHING, "I."),
    PLAIN("putc", HEADER_STDIO, NOTHING, "I."),
    PLAIN("fputc", HEADER_STDIO, NOTHING, "I."),
    PLAIN("vprintf", HEADER_STDIO, NOTHING, "I."),
    PLAIN("vfprintf", HEADER_STDIO, NOTHING, "I."),
    PLAIN("fwrite", HEADER_STDIO, NOTHING, "I."),
    PLAIN("usleep", HEADER_UNISTD, NOTHING, "i."),
    PLAIN("sleep", HEADER_UNISTD, NOTHING, "i."),
    PLAIN("nanosleep", HEADER_TIME, NOTHING, "i."),
    PLAIN("clock_nanosleep", HEADER_TIME, NOTHING, "i."),
    PLAIN("clock_gettime", HEADER_TIME, TIME, "iik"),
    PLAIN("timespec_get", HEADER_TIME, TIME, "iki"),
    PLAIN("gettimeofday", HEADER_TIME, TIME, "ikp"),
    PLAIN("time", HEADER_TIME, TIME, "Lk"),
    PLAIN("clock", HEADER_TIME, TIME, "L"),
    PLAIN("fflush", HEADER_STDIO, NOTHING, "i."),
    PLAIN("perror", HEADER_STDIO, NOTHING, "0."),
    /* The arguments that a list names can be printed, but not taken one by one. */
    PLAIN("__builtin_va_start", HEADER_ALWAYS, NOTHING, "0."),
    PLAIN("__builtin_va_copy", HEADER_ALWAYS, NOTHING, "0."),
    PLAIN("__builtin_va_end", HEADER_ALWAYS, NOTHING, "0."),
};

const struct known *known_find(const char *name) {
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcmp(known[i].name, name)) return &known[i];
  return NULL;
}

/* __sync_fetch_and_add_8 is __sync_fetch_and_add of 8 unsigned bytes, and __sync_bool_compare_and_swap_16 of 16,
 * whatever its first argument points to. */
const struct known *known_sized(const char *name, uint32_t *size) {
  size_t length = strlen(name);
  const char *digits = strrchr(name, '_');
  if (strncmp(name, "__sync_", 7) != 0) return NULL;
  bool wide = !strcmp(digits, "_16");
  if (!wide && (digits[1] == 0 || !strchr("1248", digits[1]) || digits[2])) return NULL;
  length -= strlen(digits);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strlen(known[i].name) == length && !strncmp(known[i].name, name, length) && known[i].signature &&
        known[i].signature[1]) {
      *size = wide ? 16 : (uint32_t)(digits[1] - '0');
      return &known[i];
    }
  return NULL;
}

const char *header_name(enum header h) {
  static const char *const names[HEADER_COUNT] = {
      [HEADER_ALWAYS] = "",         [HEADER_ASIF] = "asif",     [HEADER_STDATOMIC] = "stdatomic",
      [HEADER_STDLIB] = "stdlib",   [HEADER_STRING] = "string", [HEADER_PTHREAD] = "pthread",
      [HEADER_THREADS] = "threads", [HEADER_SCHED] = "sched",   [HEADER_ASSERT] = "assert",
      [HEADER_STDIO] = "stdio",     [HEADER_UNISTD] = "unistd", [HEADER_MATH] = "math",
      [HEADER_TIME] = "time"};
  return names[h];
}

void header_include(struct front *f, const struct token *name) {
  for (int h = 0; h < HEADER_COUNT; h++)
    if (token_is(name, header_name((enum header)h))) f->headers |= 1u << h;
}
