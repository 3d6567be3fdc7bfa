/* The functions that are replaced where code runs under chosen schedules: the linker's --wrap=NAME for each. Those of
 * src/run are called __wrap_NAME. */
#include <stddef.h>

#include "test/test.h"

#define UPDATES(prefix) \
  prefix "exchange", prefix "fetch_add", prefix "fetch_sub", prefix "fetch_and", prefix "fetch_or", \
      prefix "fetch_xor", prefix "fetch_nand"
#define HOOKS(bits) \
  "__tsan_atomic" bits "_load", "__tsan_atomic" bits "_store", "__tsan_atomic" bits "_compare_exchange_strong", \
      "__tsan_atomic" bits "_compare_exchange_weak", "__tsan_atomic" bits "_compare_exchange_val", \
      UPDATES("__tsan_atomic" bits "_")
#define LIBATOMIC_UPDATE(name, n) "__atomic_fetch_" name n, "__atomic_" name "_fetch" n
#define LIBATOMIC(n) \
  "__atomic_load" n, "__atomic_store" n, "__atomic_exchange" n, "__atomic_compare_exchange" n, \
      LIBATOMIC_UPDATE("add", n), LIBATOMIC_UPDATE("sub", n), LIBATOMIC_UPDATE("and", n), LIBATOMIC_UPDATE("or", n), \
      LIBATOMIC_UPDATE("xor", n), LIBATOMIC_UPDATE("nand", n)
#define PLAIN(n) \
  "__tsan_read" n, "__tsan_write" n, "__tsan_read_write" n, "__tsan_volatile_read" n, "__tsan_volatile_write" n
#define UNALIGNED(n) \
  "__tsan_unaligned_read" n, "__tsan_unaligned_write" n, "__tsan_unaligned_read_write" n, \
      "__tsan_unaligned_volatile_read" n, "__tsan_unaligned_volatile_write" n

/* What the code says to the thread sanitizer (annotations.c). */
#define PLAIN_PC(n) "__tsan_read" n "_pc", "__tsan_write" n "_pc"
#define ANNOTATIONS \
  "__tsan_acquire", "__tsan_release", "__tsan_mutex_create", "__tsan_mutex_destroy", "__tsan_mutex_pre_lock", \
      "__tsan_mutex_post_lock", "__tsan_mutex_pre_unlock", "__tsan_mutex_post_unlock", "__tsan_mutex_pre_signal", \
      "__tsan_mutex_post_signal", "__tsan_mutex_pre_divert", "__tsan_mutex_post_divert", "__tsan_ignore_thread_begin", \
      "__tsan_ignore_thread_end", "__tsan_get_current_fiber", "__tsan_create_fiber", "__tsan_destroy_fiber", \
      "__tsan_switch_to_fiber", "__tsan_set_fiber_name", PLAIN_PC("1"), PLAIN_PC("2"), PLAIN_PC("4"), PLAIN_PC("8"), \
      PLAIN_PC("16"), "__tsan_read_range_pc", "__tsan_write_range_pc", "__tsan_external_register_tag", \
      "__tsan_external_register_header", "__tsan_external_assign_tag", "__tsan_external_read", \
      "__tsan_external_write", "__tsan_flush_memory", "AnnotateHappensBefore", "AnnotateHappensAfter", \
      "WTFAnnotateHappensBefore", "WTFAnnotateHappensAfter", "AnnotateRWLockCreate", "AnnotateRWLockCreateStatic", \
      "AnnotateRWLockDestroy", "AnnotateRWLockAcquired", "AnnotateRWLockReleased", "AnnotateIgnoreReadsBegin", \
      "AnnotateIgnoreReadsEnd", "AnnotateIgnoreWritesBegin", "AnnotateIgnoreWritesEnd", "AnnotateIgnoreSyncBegin", \
      "AnnotateIgnoreSyncEnd", "AnnotateBenignRace", "AnnotateBenignRaceSized", "WTFAnnotateBenignRaceSized", \
      "AnnotateCondVarSignal", "AnnotateCondVarSignalAll", "AnnotateCondVarWait", "AnnotateMutexIsNotPHB", \
      "AnnotateMutexIsUsedAsCondVar", "AnnotatePublishMemoryRange", "AnnotateUnpublishMemoryRange", \
      "AnnotateNewMemory", "AnnotatePCQCreate", "AnnotatePCQDestroy", "AnnotatePCQPut", "AnnotatePCQGet", \
      "AnnotateTraceMemory", "AnnotateEnableRaceDetection", "AnnotateThreadName", "AnnotateNoOp", \
      "AnnotateExpectRace", "AnnotateFlushExpectedRaces", "AnnotateFlushState", "AnnotateMemoryIsInitialized", \
      "AnnotateMemoryIsUninitialized", "RunningOnValgrind", "ValgrindSlowdown", "ThreadSanitizerQuery"

#define NEW(name) name "m", name "mSt11align_val_t", name "mRKSt9nothrow_t", name "mSt11align_val_tRKSt9nothrow_t"
#define DELETE(name) \
  name "Pv", name "Pvm", name "PvSt11align_val_t", name "PvmSt11align_val_t", name "PvRKSt9nothrow_t", \
      name "PvSt11align_val_tRKSt9nothrow_t"

/* Of the C library, and harmless to have of one's own: bytes.c; as a format or an argument says: formats.c. */
#define LIBRARY \
  "memcpy", "memmove", "mempcpy", "memset", "bzero", "memcmp", "bcmp", "memchr", "strlen", "strnlen", "strcpy", \
      "stpcpy", "strncpy", "strcat", "strncat", "strcmp", "strncmp", "strchr", "strrchr", "strstr", "sprintf", \
      "snprintf", "vsprintf", "vsnprintf", "__sprintf_chk", "__snprintf_chk", "__vsprintf_chk", "__vsnprintf_chk", \
      "strpbrk", "strcasecmp", "strncasecmp", "qsort", "sscanf", "__isoc99_sscanf", "__isoc23_sscanf", "vsscanf", \
      "__isoc99_vsscanf", "__isoc23_vsscanf", "strtol", "strtoll", "strtoul", "strtoull", "__isoc23_strtol", \
      "__isoc23_strtoll", "__isoc23_strtoul", "__isoc23_strtoull", "strtod", "strtof", "strtold", "atoi", "atol", \
      "atoll", "atof", "strspn", "strcspn", "strtok", "strtok_r", "strsep", "strcasestr", "strcoll", "strxfrm", \
      "stpncpy", "strchrnul", "memrchr", "rawmemchr", "memmem", "memccpy", "strftime", "gmtime_r", "localtime_r", \
      "rand_r", "fgets", "fread", "wcslen", "wcscpy", "wcsncpy", "wcscmp", "wcscat", "wmemcpy", "wmemmove", "wmemset", \
      "wmemcmp"

const char *const library_names[] = {LIBRARY, NULL};

const char *const wrapped_names[] = {
    /* The hooks, and what stands for atomic accesses that have none (hooks.c). */
    HOOKS("8"), HOOKS("16"), HOOKS("32"), HOOKS("64"), HOOKS("128"), LIBATOMIC("_1"), LIBATOMIC("_2"), LIBATOMIC("_4"),
    LIBATOMIC("_8"), LIBATOMIC("_16"), "__atomic_load", "__atomic_store", "__atomic_exchange",
    "__atomic_compare_exchange", "__atomic_is_lock_free", PLAIN("1"), PLAIN("2"), PLAIN("4"), PLAIN("8"), PLAIN("16"),
    UNALIGNED("2"), UNALIGNED("4"), UNALIGNED("8"), UNALIGNED("16"), "__tsan_init", "__tsan_func_entry",
    "__tsan_func_exit", "__tsan_read_range", "__tsan_write_range", "__tsan_vptr_update", "__tsan_vptr_read",
    "__tsan_memcpy", "__tsan_memmove", "__tsan_memset", "__tsan_atomic_thread_fence", "__tsan_atomic_signal_fence",
    ANNOTATIONS,
    /* Thread-local storage, statics of functions (image.c). */
    "__tls_get_addr", "__cxa_thread_atexit", "__cxa_guard_acquire", "__cxa_guard_release", "__cxa_guard_abort",
    /* What does not return (crash.c). */
    "fork", "vfork", "fopen", "fopen64", "open", "open64", "openat", "openat64", "creat", "mmap", "mmap64", "munmap",
    "mremap", "mprotect", "madvise", "sbrk", "brk", "sigaction", "signal", "__sysv_signal", "raise", "kill",
    "pthread_sigmask", "sigprocmask", "sigpending", "sigsuspend", "sigwait", "sigwaitinfo", "sigtimedwait", "abort",
    "__assert_fail", "__stack_chk_fail", "__ubsan_handle_out_of_bounds_abort", "exit", "_exit", "_Exit", "quick_exit",
    "_ZSt9terminatev", "_ZN10__cxxabiv111__terminateEPFvvE",
    /* The allocator (heap_calls.c, heap_new.c), and what accesses memory for the code. */
    "malloc", "calloc", "realloc", "reallocarray", "free", "aligned_alloc", "memalign", "valloc", "posix_memalign",
    "malloc_usable_size", "strdup", "strndup", "asprintf", "vasprintf", NEW("_Znw"), NEW("_Zna"), DELETE("_Zdl"),
    DELETE("_Zda"), LIBRARY,
    /* Threads (threads.c, mutex.c and their like). */
    "pthread_self", "thrd_current", "gettid", "sched_getcpu", "pthread_create", "thrd_create", "pthread_join",
    "thrd_join", "pthread_tryjoin_np", "pthread_detach", "thrd_detach", "__pthread_register_cancel",
    "__pthread_unregister_cancel", "__pthread_unwind_next", "pthread_exit", "thrd_exit", "pthread_cancel",
    "pthread_kill", "pthread_setcancelstate", "pthread_setcanceltype", "pthread_testcancel", "pthread_setname_np",
    "pthread_setaffinity_np", "pthread_setschedparam", "pthread_key_create", "pthread_key_delete",
    "pthread_getspecific", "pthread_setspecific", "tss_create", "tss_delete", "tss_get", "tss_set",
    "pthread_mutex_init", "pthread_mutex_destroy", "pthread_mutex_lock", "pthread_mutex_trylock",
    "pthread_mutex_timedlock", "pthread_mutex_clocklock", "pthread_mutex_unlock", "mtx_init", "mtx_destroy", "mtx_lock",
    "mtx_trylock", "mtx_timedlock", "mtx_unlock", "pthread_spin_init", "pthread_spin_destroy", "pthread_spin_lock",
    "pthread_spin_trylock", "pthread_spin_unlock", "pthread_cond_init", "pthread_cond_destroy", "pthread_cond_wait",
    "pthread_cond_timedwait", "pthread_cond_clockwait", "pthread_cond_signal", "pthread_cond_broadcast", "cnd_init",
    "cnd_destroy", "cnd_wait", "cnd_timedwait", "cnd_signal", "cnd_broadcast", "pthread_rwlock_init",
    "pthread_rwlock_destroy", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "pthread_rwlock_tryrdlock",
    "pthread_rwlock_trywrlock", "pthread_rwlock_timedrdlock", "pthread_rwlock_timedwrlock",
    "pthread_rwlock_clockrdlock", "pthread_rwlock_clockwrlock", "pthread_rwlock_unlock", "sem_init", "sem_destroy",
    "sem_wait", "sem_trywait", "sem_timedwait", "sem_clockwait", "sem_post", "sem_getvalue", "sem_open",
    "pthread_barrier_init", "pthread_barrier_destroy", "pthread_barrier_wait", "pthread_once", "call_once",
    "clock_gettime", "gettimeofday", "time", "clock", "timespec_get", "clock_nanosleep", "nanosleep", "usleep", "sleep",
    "thrd_sleep", "poll", "select", "sched_yield", "pthread_yield", "thrd_yield", "rand", "srand", "random", "srandom",
    "lrand48", "mrand48", "drand48", "srand48", "getrandom", "getentropy", "arc4random",
    "_ZNSt13random_device9_M_getvalEv", "syscall", NULL};
