/* asif gen: random histories, linearizable by construction, or with one violation of a named kind. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "history/format.h"
#include "generate/generate.h"

static const struct opt opts[] = {
    {"operations", 'n', "N", NULL, "how many operations (default 1000; 10k and 5M are understood)"},
    {"threads", 't', "T", NULL, "how many overlap (default 4)"},
    {"seed", 's', "SEED", NULL, "the same seed gives the same history, everywhere (default 1)"},
    {"bad", 0, "KIND", "@kinds", "put in one violation of this kind, near the end; --list shows the kinds"},
    {"values", 0, "V", NULL,
     "write values among 1..V; 0 writes every value once (the default, but 5 for cas-register)"},
    {"keys", 0, "K", NULL, "maps, sets and multisets: keys among 1..K (map: 10; sets: every value is a new one)"},
    {"pending", 0, "P", NULL, "P operations never return, or P% of them; half of these took effect (default 0)"},
    {"size", 0, "S", NULL, "containers: about S values inside on average (default: up to 200)"},
    {"empty", 0, "PERCENT", NULL, "containers: share of the time they are nearly empty (default 5)"},
    {"output", 'o', "FILE", "@files", "where to (default standard output); .gz and .zst compress"},
    {"format", 'f', "FORMAT", "@formats", "how to write it (default by the ending of FILE, else wing-gong)"},
    {"list", 'l', NULL, NULL, "list the kinds of violation, of SPEC or of all"},
    {NULL, 0, NULL, NULL, NULL},
};

static void list_kinds(struct text *t, const struct spec *s) {
  const struct bad_kind *k = generate_kinds(s);
  for (int i = 0; k[i].name; i++) text_printf(t, "%-24s %-10s %s\n", i ? "" : s->name, k[i].name, k[i].summary);
}

static int list(struct mem *m, const struct spec *one) {
  struct text t;
  text_open(&t, m);
  if (one) list_kinds(&t, one);
  for (int i = 0; !one && specs[i]; i++) list_kinds(&t, specs[i]);
  return write_stdout(text_string(&t), t.count) ? EXIT_HOLDS : EXIT_USAGE;
}

/* --pending: so many, or so many percent. */
static uint32_t pending(const struct args *a, uint32_t operations, bool *bad) {
  const long long most = 1000000000;
  const char *s = arg_value(a, "pending");
  char *end;
  double percent = s ? strtod(s, &end) : 0;
  if (!s || end == s || strcmp(end, "%")) return (uint32_t)arg_number(a, "pending", 0, 0, most / 4, bad);
  if (percent >= 0 && percent <= 100) return (uint32_t)(operations * percent / 100);
  usage_error(a, "--pending %s: from 0%% to 100%%", s);
  *bad = true;
  return 0;
}

static bool read_options(const struct args *a, const struct spec *s, struct generate_options *o) {
  bool bad = false, cas = s->family == FAMILY_REGISTER && spec_compares(s);
  const long long most = 1000000000;
  *o = (struct generate_options){
      .spec = s,
      .operations = (uint32_t)arg_number(a, "operations", 1000, 1, most, &bad),
      .threads = (uint32_t)arg_number(a, "threads", 4, 1, 65536, &bad),
      .seed = (uint64_t)arg_number(a, "seed", 1, INT64_MIN, INT64_MAX, &bad),
      .bad = arg_value(a, "bad"),
      .values = (uint32_t)arg_number(a, "values", cas ? 5 : 0, 0, most / 4, &bad),
      .keys = (uint32_t)arg_number(a, "keys", 0, 1, most / 4, &bad),
      .size = (uint32_t)arg_number(a, "size", 0, 1, most / 4, &bad),
      .empty = (uint32_t)arg_number(a, "empty", 5, 0, 100, &bad),
  };
  o->pending = pending(a, o->operations, &bad);
  return !bad;
}

/* By name, else by the ending of the file's name, else Wing and Gong's. */
static const struct format *pick_format(const char *name, const char *path) {
  if (name) return format_named(name);
  const struct format *f = format_for_path(path);
  return f && f->write ? f : &format_wing_gong;
}

static int generate(const struct args *a, const struct generate_options *o) {
  const char *path = arg_value(a, "output") ? arg_value(a, "output") : "-", *name = arg_value(a, "format");
  const struct format *format = pick_format(name, path);
  if (!format) return usage_error(a, "no format is called %s", name);
  if (!format->write) return usage_error(a, "format %s is read, not written", name);
  struct problem problem;
  struct history *h = generate_history(a->mem, o, &problem);
  if (!h) return usage_error(a, "%s", problem.text);
  errno = 0;
  if (history_write(h, path, format, &problem)) return EXIT_HOLDS;
  if (errno != EPIPE) say_error("%s", problem.text);
  return EXIT_USAGE;
}

static int run(const struct args *a) {
  struct spec spec;
  struct problem problem;
  struct generate_options o;
  handle_interrupts();
  bool all = !a->count;
  if (all && !arg_flag(a, "list")) return usage_error(a, "which specification? asif gen SPEC, for one of `asif specs`");
  if (!all && !spec_named(a->at[0], &spec, &problem)) return usage_error(a, "%s", problem.text);
  if (arg_flag(a, "list")) return list(a->mem, all ? NULL : &spec);
  return read_options(a, &spec, &o) ? generate(a, &o) : EXIT_USAGE;
}

const struct command command_gen = {
    .name = "gen",
    .usage = "SPEC [-n OPERATIONS] [-t THREADS] [--seed SEED] [--bad KIND] [-o FILE]",
    .summary = "generate a random history, linearizable or wrong on purpose",
    .details = "Threads call operations of SPEC, each takes effect on a sequential object at some moment\n"
               "between its call and its return, and the events are interleaved at random: the history is\n"
               "linearizable by construction. --bad puts in one violation, in the last hundredth; it is one\n"
               "whatever happens around it.\n"
               "\n"
               "Examples:\n"
               "  asif gen queue                               a thousand operations by four threads\n"
               "  asif gen stack -n 1M -t 16 -o stack.txt.zst  a million by sixteen, compressed\n"
               "  asif gen queue --bad lost | asif check -     a queue that loses a value\n"
               "  asif gen map --keys 3 --pending 5 -f edn     as Jepsen writes it, five outcomes unknown\n"
               "  asif gen --list                              every kind of violation\n"
               "\n"
               "Exit status: 0 written, 2 bad usage or the output could not be written, 3 interrupted.\n",
    .opts = opts,
    .least = 0,
    .most = 1,
    .run = run,
    .operands = "@specs",
};
