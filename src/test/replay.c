/* A finding as one word, to be repeated: what is called, the options that change what a step is, and every choice.
 *
 *   1:rl:a1.a2_b:AB10A3B2:5f3a01c2
 *
 * The version; r: races are looked for, l: leaks, v: volatile accesses acquire and release, s: accesses of stacks are
 * compared, b: every freed block may be allocated again, x: memory is TSO's (x86), c: C11's, q: with its release
 * sequences; the calls of each thread
 * (operation a with argument 1, ...; threads apart by _); whose steps in turn (one of A, ten of B, ...; +2: the last of
 * these allocated, and got block 2); and a checksum of the code. */
#include <assert.h>
#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "test/tell.h"

/* --- the code's checksum: of what can be executed in the file --- */

static uint32_t hash_code(const char *file, size_t size) {
  const Elf64_Ehdr *h = (const void *)file;
  uint64_t sum = 0;
  if (size < sizeof *h || memcmp(file, ELFMAG, SELFMAG) || h->e_shoff > size ||
      h->e_shnum > (size - h->e_shoff) / sizeof(Elf64_Shdr))
    return 0;
  const Elf64_Shdr *s = (const void *)(file + h->e_shoff);
  for (unsigned i = 0; i < h->e_shnum; i++) {
    if (!(s[i].sh_flags & SHF_EXECINSTR) || s[i].sh_type != SHT_PROGBITS || s[i].sh_offset > size ||
        s[i].sh_size > size - s[i].sh_offset)
      continue;
    sum = hash_mix(sum ^ hash_bytes(file + s[i].sh_offset, s[i].sh_size));
  }
  return (uint32_t)(sum ^ sum >> 32);
}

uint32_t code_checksum(struct mem *m, const char *object) {
  struct text t;
  text_open(&t, m);
  if (!text_file(&t, object)) text_clear(&t);
  uint32_t sum = hash_code(text_string(&t), t.count);
  mem_free(m, t.at);
  return sum;
}

/* --- writing --- */

static void put_calls(struct text *t, const struct object *o, const struct client *c) {
  for (unsigned i = 0; i < c->threads; i++) {
    if (i) text_char(t, '_');
    for (uint32_t k = c->first[i]; k < c->first[i + 1]; k++) {
      const struct call *call = &c->calls[k];
      if (k > c->first[i]) text_char(t, '.');
      assert(call->op < o->op_count && call->op < 78);
      if (call->op < 26)
        text_char(t, (char)('a' + call->op));
      else /* za, zb, ... zA, zB, ... */
        text_printf(t, "z%c", (char)(call->op < 52 ? 'a' + call->op - 26 : 'A' + call->op - 52));
      for (unsigned a = 0; a < o->ops[call->op].arg_count; a++) text_printf(t, "%s%ld", a ? "," : "", call->arg[a]);
    }
  }
}

static void put_fiber(struct text *t, unsigned fiber) {
  if (fiber < 26)
    text_char(t, (char)('A' + fiber));
  else
    text_printf(t, "f%u.", fiber);
}

static void put_choices(struct text *t, const struct choice *c, size_t count) {
  for (size_t i = 0; i < count;) {
    size_t n = 1;
    assert(c[i].fiber < FIBERS_MOST);
    while (i + n < count && c[i + n].fiber == c[i].fiber && !c[i + n - 1].block) n++;
    put_fiber(t, c[i].fiber);
    if (n > 1) text_printf(t, "%zu", n);
    if (c[i + n - 1].block) text_printf(t, "+%u", c[i + n - 1].block);
    i += n;
  }
}

char *replay_token(struct mem *m, const struct object *o, const struct run_options *how, const struct finding *f,
                   uint32_t checksum) {
  struct text t;
  text_open(&t, m);
  text_printf(&t, "1:%s%s%s%s%s%s%s:", how->races ? "r" : "", how->leaks ? "l" : "",
              how->volatiles >= VOLATILE_ACQUIRE_RELEASE ? "v" : "", how->stacks ? "s" : "", how->reuse_all ? "b" : "",
              how->memory == MEMORY_TSO   ? "x"
              : how->memory == MEMORY_C11 ? "c"
                                          : "",
              how->memory == MEMORY_C11 && how->own_sequences ? "q" : "");
  put_calls(&t, o, &f->client);
  text_char(&t, ':');
  put_choices(&t, f->choices, f->count);
  text_printf(&t, ":%x", (unsigned)checksum);
  return t.at;
}

/* --- reading --- */

struct parsing {
  struct mem *mem;
  const struct object *object;
  const char *at;
  struct problem *why;
};

static bool bad(struct parsing *p, const char *what) {
  problem_set(p->why, "--replay: %s is expected where '%.20s' is; the token is what a violation's report ends with",
              what, p->at);
  return false;
}

static bool skip(struct parsing *p, char c) {
  if (*p->at != c) return false;
  p->at++;
  return true;
}

static bool parse_call(struct parsing *p, struct call *call) {
  bool more = p->at[0] == 'z' && isalpha((unsigned char)p->at[1]);
  if (!islower((unsigned char)*p->at)) return bad(p, "an operation (a small letter)");
  call->op = !more                              ? (uint32_t)(p->at[0] - 'a')
             : islower((unsigned char)p->at[1]) ? 26 + (uint32_t)(p->at[1] - 'a')
                                                : 52 + (uint32_t)(p->at[1] - 'A');
  if (call->op >= p->object->op_count) return bad(p, "an operation that the object has");
  p->at += more ? 2 : 1;
  for (unsigned a = 0; a < p->object->ops[call->op].arg_count; a++) {
    char *end;
    if (a && !skip(p, ',')) return bad(p, "another argument");
    call->arg[a] = strtol(p->at, &end, 10);
    if (end == p->at) return bad(p, "an argument");
    p->at = end;
  }
  return true;
}

static bool parse_calls(struct parsing *p, struct client *c) {
  VEC(uint32_t) first = {NULL, 0, 0};
  VEC(struct call) calls = {NULL, 0, 0};
  do {
    vec_push(p->mem, &first, (uint32_t)calls.count);
    if (*p->at == '_' || *p->at == ':') continue; /* a thread without calls */
    do {
      struct call call = {0};
      if (!parse_call(p, &call)) return false;
      vec_push(p->mem, &calls, call);
    } while (skip(p, '.'));
  } while (skip(p, '_'));
  *c = (struct client){.threads = (unsigned)first.count, .calls = calls.at};
  vec_push(p->mem, &first, (uint32_t)calls.count);
  c->first = first.at;
  return c->threads < FIBERS_MOST - 1 || bad(p, "fewer threads");
}

static bool parse_fiber(struct parsing *p, unsigned long *fiber) {
  char *end;
  if (isupper((unsigned char)*p->at)) return *fiber = (unsigned long)(*p->at++ - 'A'), true;
  if (!skip(p, 'f')) return bad(p, "a thread (a capital letter)");
  *fiber = strtoul(p->at, &end, 10);
  if (end == p->at || *end != '.' || *fiber >= FIBERS_MOST) return bad(p, "a thread's number");
  p->at = end + 1;
  return true;
}

static bool parse_choices(struct parsing *p, struct finding *f) {
  enum { CHOICES_MOST = 100000000 };
  VEC(struct choice) c = {NULL, 0, 0};
  while (*p->at != ':') {
    unsigned long fiber = 0, count = 1, block = 0;
    char *end;
    if (!parse_fiber(p, &fiber)) return false;
    if (isdigit((unsigned char)*p->at)) count = strtoul(p->at, &end, 10), p->at = end;
    if (skip(p, '+')) block = strtoul(p->at, &end, 10), p->at = end;
    if (count < 1 || count > CHOICES_MOST - c.count || block > 255) return bad(p, "a smaller number");
    for (unsigned long i = 0; i < count; i++) {
      struct choice one = {(uint8_t)fiber, (uint8_t)(i + 1 == count ? block : 0)};
      vec_push(p->mem, &c, one);
    }
  }
  f->choices = c.at;
  f->count = c.count;
  return true;
}

bool replay_parse(struct mem *m, const struct object *o, const char *token, struct run_options *how, struct finding *f,
                  uint32_t *checksum, struct problem *why) {
  struct parsing p = {.mem = m, .object = o, .at = token, .why = why};
  char *end;
  memset(f, 0, sizeof *f);
  if (!skip(&p, '1') || !skip(&p, ':')) return bad(&p, "1:");
  how->races = skip(&p, 'r');
  how->leaks = skip(&p, 'l');
  if (skip(&p, 'v')) how->volatiles = VOLATILE_ACQUIRE_RELEASE;
  how->stacks = skip(&p, 's');
  how->reuse_all = skip(&p, 'b');
  how->memory = skip(&p, 'x') ? MEMORY_TSO : skip(&p, 'c') ? MEMORY_C11 : MEMORY_SC;
  how->own_sequences = skip(&p, 'q');
  if (!skip(&p, ':')) return bad(&p, "r, l, v, s, b, x, c, q or :");
  if (!parse_calls(&p, &f->client)) return false;
  if (!skip(&p, ':')) return bad(&p, "a call or :");
  if (!strchr(p.at, ':')) return bad(&p, "a checksum at the end");
  if (!parse_choices(&p, f)) return false;
  p.at++;
  *checksum = (uint32_t)strtoul(p.at, &end, 16);
  return (end != p.at && !*end) || bad(&p, "a checksum");
}

/* --- repeating --- */

/* A place for a debugger to stop at: the code is loaded and nothing has run yet. */
__attribute__((noinline, visibility("default"))) void asif_replay_begins(void);
void asif_replay_begins(void) { __asm__ volatile(""); }

/* The run of the token; what is wrong with it goes into the finding. */
bool replay(struct mem *m, struct image *image, const struct object *o, const struct run_options *how,
            struct finding *f, struct problem *why) {
  struct plan plan = {.choices = f->choices, .count = f->count};
  if (!run_open(image, o->run_ops, o->op_count, o->init, how, why)) return false;
  asif_replay_begins();
  const struct run *r = run_execute(&f->client, &plan, why);
  if (!r) return false;
  assert(r->client == &f->client);
  finding_keep(m, f, r);
  struct judge *j = judge_new(m, o, NULL);
  enum judged judged = judge_run(j, r, why); /* it may run the code itself: what the run was is kept before */
  f->found = judged == JUDGED_WRONG ? judge_found(j) : FOUND_NOTHING;
  if (f->found == FOUND_ORDERS || f->found == FOUND_UNPUBLISHED)
    f->said = mem_string(m, judge_said(j, r), strlen(judge_said(j, r)));
  return judged != JUDGED_NOT;
}

void finding_keep(struct mem *m, struct finding *f, const struct run *r) {
  const char *said = r->said ? r->said : "";
  f->said = mem_string(m, said, strlen(said));
  f->count = r->count;
  f->choices = mem_alloc(m, (r->count + 1) * sizeof *f->choices);
  for (size_t i = 0; i < r->count; i++) f->choices[i] = (struct choice){r->steps[i].fiber, r->steps[i].block};
}
