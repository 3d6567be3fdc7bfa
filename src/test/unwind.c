/* The functions of the code that are running, found from the stack of the thread that runs: with their registers, as
 * far as functions have to keep them. The compiler's own library does it, as for exceptions; it is loaded when it is
 * needed. */
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <unwind.h>

#include "run/run.h"
#include "test/naming.h"

#define LIBRARY "libgcc_s.so.1"

static struct {
  __typeof__(_Unwind_Backtrace) *backtrace;
  __typeof__(_Unwind_GetGR) *reg;
  __typeof__(_Unwind_GetIP) *pc;
  __typeof__(_Unwind_GetCFA) *sp;
} functions;

static bool load(void) {
  static bool tried, there;
  if (tried) return there;
  tried = true;
  void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return false;
  *(void **)(void *)&functions.backtrace = dlsym(handle, "_Unwind_Backtrace");
  *(void **)(void *)&functions.reg = dlsym(handle, "_Unwind_GetGR");
  *(void **)(void *)&functions.pc = dlsym(handle, "_Unwind_GetIP");
  *(void **)(void *)&functions.sp = dlsym(handle, "_Unwind_GetCFA");
  return there = functions.backtrace && functions.reg && functions.pc && functions.sp;
}

bool stack_can_be_walked(void) { return load(); }

#if defined(__x86_64__)
static const unsigned char kept[] = {3, 6, 12, 13, 14, 15}; /* rbx, rbp, r12 to r15 */
enum { STACK_POINTER = 7 };
#elif defined(__aarch64__)
static const unsigned char kept[] = {19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29};
enum { STACK_POINTER = 31 };
#else
static const unsigned char kept[] = {0};
enum { STACK_POINTER = 0 };
#endif

struct walk {
  struct stack_frames *to;
  uintptr_t base;
  bool whole; /* it came to who called the code */
};

static _Unwind_Reason_Code see(struct _Unwind_Context *context, void *self) {
  struct walk *k = self;
  struct stack_frames *to = k->to;
  uintptr_t pc = functions.pc(context), sp = functions.sp(context);
  if (to->count && !to->at[to->count - 1].cfa) to->at[to->count - 1].cfa = sp; /* what is below it is its own */
  if (!run_is_code(pc)) { /* of Asif or a library: before the code, or after it */
    Dl_info of;
    k->whole = to->count && dladdr((const void *)pc, &of);
    return to->count ? _URC_END_OF_STACK : _URC_NO_REASON;
  }
  k->whole = to->count == FRAMES_MOST;
  if (k->whole) return _URC_END_OF_STACK;
  struct machine_frame *f = &to->at[to->count++];
  *f = (struct machine_frame){.pc = pc - k->base - 1, .known = 1u << STACK_POINTER};
  f->registers[STACK_POINTER] = sp;
  for (size_t i = 0; i < sizeof kept; i++) {
    f->known |= 1u << kept[i];
    f->registers[kept[i]] = functions.reg(context, kept[i]);
  }
  return _URC_NO_REASON;
}

/* Assembly may have left the stack otherwise than the compiler thinks: then the walk goes astray. That may lead to
 * memory that is not there; and where it does not come to who called the code, nothing is known but the innermost
 * place. */
static sigjmp_buf astray;
static void go_back(int signal) {
  (void)signal;
  siglongjmp(astray, 1);
}

void stack_walk(uintptr_t base, struct stack_frames *to) {
  static const int faults[] = {SIGSEGV, SIGBUS};
  struct sigaction before[2], guard = {.sa_handler = go_back, .sa_flags = SA_ONSTACK};
  static struct walk k; /* known after the jump, too */
  k = (struct walk){to, base, false};
  to->count = 0;
#if defined(__x86_64__) || defined(__aarch64__)
  if (!load()) return;
  sigemptyset(&guard.sa_mask);
  for (unsigned i = 0; i < 2; i++) sigaction(faults[i], &guard, &before[i]);
  if (!sigsetjmp(astray, 1)) functions.backtrace(see, &k);
  for (unsigned i = 0; i < 2; i++) sigaction(faults[i], &before[i], NULL);
  if (k.whole || !k.to->count) return;
  k.to->count = 1;
  k.to->at[0].known = 0;
  k.to->at[0].cfa = 0;
#else
  (void)see, (void)go_back, (void)faults, (void)before, (void)guard;
#endif
}
