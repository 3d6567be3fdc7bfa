/* Random structs and unions with packed and aligned fields, bit-fields and #pragma pack: laid out as the system's
 * compiler does it. Where a field's bits are is found by setting all of them. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "front/ast.h"
#include "test.h"

enum { STRUCTS = 60, FIELDS = 6 };

struct maker {
  struct text t, probes;
  uint64_t seed;
};

static unsigned below(struct maker *w, unsigned n) {
  w->seed = hash_mix(w->seed + 0x9e3779b97f4a7c15u);
  return (unsigned)(w->seed >> 20) % n;
}

static const struct {
  const char *name;
  unsigned bits;
} scalars[] = {{"char", 8},           {"short", 16},    {"int", 32},
               {"long", 64},          {"_Bool", 1},     {"unsigned short", 16},
               {"unsigned long", 64}, {"near_int", 32}, {"far_char", 8}};
enum { SCALARS = sizeof scalars / sizeof *scalars, PLAIN = 7 };

static const char *attribute(struct maker *w, bool bits) {
  static const char *const some[] = {" __attribute__((packed))", " __attribute__((aligned(8)))",
                                     " __attribute__((packed, aligned(2)))"};
  unsigned n = below(w, 12);
  return bits ? (n ? "" : some[0]) : n < 3 ? some[n] : "";
}

static void field(struct maker *w, unsigned s, unsigned i) {
  unsigned kind = below(w, 10);
  const char *all = "-1";
  bool named = true;
  if (kind < 4) {
    unsigned of = below(w, PLAIN);
    unsigned width = below(w, 8) ? 1 + below(w, scalars[of].bits) : 0;
    named = width && below(w, 6);
    text_printf(&w->t, "  %s ", scalars[of].name);
    if (named) text_printf(&w->t, "f%u", i);
    text_printf(&w->t, " : %u%s;\n", width, width ? attribute(w, true) : "");
  } else if (kind < 8) {
    text_printf(&w->t, "  %s f%u%s;\n", scalars[below(w, SCALARS)].name, i, attribute(w, false));
  } else if (kind < 9 || s == 0) {
    text_printf(&w->t, "  short f%u[3]%s;\n", i, attribute(w, false));
    all = NULL;
  } else {
    text_printf(&w->t, "  struct s%u f%u%s;\n", below(w, s), i, attribute(w, false));
    all = NULL;
  }
  if (!named) return;
  text_printf(&w->probes,
              "void p%u_%u(unsigned char *p) { union { struct s%u s; unsigned char c[sizeof(struct s%u)]; } u;"
              " memset(&u, 0, sizeof u); ",
              s, i, s, s);
  if (all)
    text_printf(&w->probes, "u.s.f%u = %s;", i, all);
  else
    text_printf(&w->probes, "memset(&u.s.f%u, 255, sizeof u.s.f%u);", i, i);
  text_printf(&w->probes, " memcpy(p, u.c, sizeof u.c); }\n");
}

static void structure(struct maker *w, unsigned s) {
  static const char *const before[] = {"", "", "", "#pragma pack(1)\n", "#pragma pack(push, 2)\n", "#pragma pack(4)\n"};
  static const char *const behind[] = {"", "", " __attribute__((packed))", " __attribute__((aligned(16)))",
                                       " __attribute__((packed, aligned(4)))"};
  unsigned pragma = below(w, 6);
  text_printf(&w->t, "%sstruct s%u {\n  char f%u;\n", before[pragma], s, FIELDS + below(w, 2));
  for (unsigned i = 0; i < FIELDS; i++)
    if (below(w, 3)) field(w, s, i);
  text_printf(&w->t, "}%s;\n%s", behind[below(w, 5)], pragma == 4 ? "#pragma pack(pop)\n" : "#pragma pack()\n");
  text_printf(&w->probes, "unsigned long size%u(void) { return sizeof(struct s%u) << 8 | _Alignof(struct s%u); }\n", s,
              s, s);
}

static void *compile(const char *text) {
  char source[] = "/tmp/asif-layout-XXXXXX.c", object[64], command[300];
  int fd = mkstemps(source, 2);
  CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
  close(fd);
  snprintf(object, sizeof object, "%s.so", source);
  snprintf(command, sizeof command, "%s -w -shared -fPIC -o %s %s", getenv("CC") ? getenv("CC") : "cc", object, source);
  CHECKF(!system(command), "%s", text);
  void *library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
  CHECK(library);
  unlink(source);
  unlink(object);
  return library;
}

static void compare_field(void *library, unsigned s, const struct type *t, const struct field *f, const char *text) {
  char name[40];
  unsigned char bytes[1 << 12] = {0}, own[1 << 12] = {0};
  void (*probe)(unsigned char *);
  snprintf(name, sizeof name, "p%u_%s", s, f->name + 1);
  *(void **)&probe = dlsym(library, name);
  if (!probe) return;
  CHECK(t->size < sizeof own);
  probe(bytes);
  unsigned first = f->is_bits ? f->first_bit : 0, width = f->is_bits ? f->width : 8 * f->type->size;
  if (!f->is_bits && f->type->kind == TYPE_BOOL) width = 1;
  for (unsigned i = 0; i < width; i++) own[f->offset + (first + i) / 8] |= (unsigned char)(1u << (first + i) % 8);
  CHECKF(!memcmp(bytes, own, t->size), "struct s%u: f%s\n%s", s, f->name, text);
}

static void compare_layouts(uint64_t seed) {
  struct mem m;
  mem_open(&m, NULL);
  struct maker w = {.seed = seed};
  text_open(&w.t, &m);
  text_open(&w.probes, &m);
  text_add(&w.t,
           "typedef int near_int __attribute__((aligned(1))); typedef char far_char __attribute__((aligned(8)));\n");
  for (unsigned s = 0; s < STRUCTS; s++) structure(&w, s);
  const char *types = text_string(&w.t);
  struct text native, own;
  text_open(&native, &m);
  text_open(&own, &m);
  text_printf(&native, "#include <string.h>\n%s%s", types, text_string(&w.probes));
  text_add(&own, types);
  for (unsigned s = 0; s < STRUCTS; s++) text_printf(&own, "static struct s%u v%u;\n", s, s);
  struct problem problem = {.text = ""};
  struct unit *unit = front_parse(&m, "x.c", text_string(&own), own.count, &problem);
  CHECKF(unit, "seed %llu: %s\n%s", (unsigned long long)seed, problem.text, types);
  void *library = compile(text_string(&native));
  unsigned met = 0;
  for (size_t i = 0; i < unit->decls.count; i++) {
    const struct decl *d = unit->decls.at[i];
    const struct type *t = d->type;
    char name[40];
    unsigned long (*size)(void);
    if (d->name[0] != 'v' || t->kind != TYPE_STRUCT) continue;
    snprintf(name, sizeof name, "size%s", d->name + 1);
    *(void **)&size = dlsym(library, name);
    CHECKF(size() == ((unsigned long)t->size << 8 | t->align), "seed %llu: struct %s: %u, %u, not %lu, %lu\n%s",
           (unsigned long long)seed, t->tag, t->size, t->align, size() >> 8, size() & 255, types);
    for (uint32_t k = 0; k < t->field_count; k++)
      compare_field(library, (unsigned)atoi(d->name + 1), t, &t->fields[k], types);
    met++;
  }
  CHECK(met == STRUCTS);
  dlclose(library);
  mem_close(&m);
}

TEST(layout_random) {
  const char *given = getenv("ASIF_TEST_SEED");
  uint64_t first = given ? strtoull(given, NULL, 10) : 1, rounds = getenv("ASIF_LONG") ? 200 : 3;
  for (uint64_t seed = first; seed < first + rounds; seed++) compare_layouts(seed);
}
