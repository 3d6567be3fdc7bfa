/* asif specs [SPEC]: the specifications there are, or all about one: its operations, what they take and return, and the
 * other names under which histories may call them. A C file of the user's own is compiled and shown alike. */
#include <string.h>

#include "cmd/cmd.h"
#include "spec/spec.h"

static const char *const results[] = {
    [RESULT_NONE] = "ok",
    [RESULT_BOOL] = "true or false",
    [RESULT_VALUE] = "a value, or empty",
    [RESULT_CONTENT] = "a value, or nil",
    [RESULT_INT] = "an integer",
    [RESULT_NONE_FULL] = "ok, or full",
    [RESULT_VALUE_ABORT] = "a value, empty, or abort",
    [RESULT_OLD] = "a value, or nil",
    [RESULT_ANY] = "what the function returns",
};

/* Is arg[0] a key, and not the value itself as in sets? */
static bool by_key(const struct spec *s) { return s->keyed && s->ops[1].args > 1; }

/* "enq(x)", "inc([n])", "cas(x, y)". */
static void put_call(struct text *t, const struct spec *s, unsigned m) {
  static const char *const plain[] = {"x", "y", "z"}, *const keyed[] = {"key", "x", "y"};
  const struct spec_op *o = &s->ops[m];
  size_t len;
  const char *name = spec_op_name(s, m, &len);
  text_bytes(t, name, len);
  text_char(t, '(');
  for (int i = 0; i < o->args_most; i++) {
    const char *arg = o->arg_kind == ARG_INT ? "n" : by_key(s) ? keyed[i] : plain[i];
    text_printf(t, "%s%s%s%s", i ? ", " : "", i >= o->args ? "[" : "", arg, i >= o->args ? "]" : "");
  }
  text_char(t, ')');
}

static void put_name(struct text *t, const struct spec *s) {
  text_add(t, s->name);
  if (!s->param) return;
  if (s->k == SPEC_NIL)
    text_add(t, "(N)");
  else
    text_printf(t, "(%u)", s->k);
}

static void pad(struct text *t, size_t from, size_t width) {
  do text_char(t, ' ');
  while (t->count - from < width);
}

/* Words in lines of at most 78 columns, each beginning after `indent` blanks. */
static void put_words(struct text *t, const char *words, size_t indent, size_t column) {
  while (*words) {
    size_t n = strcspn(words, " ");
    if (n && column + n + 1 > 78) {
      text_printf(t, "\n%*s", (int)indent, "");
      column = indent;
    } else if (column > indent) {
      text_char(t, ' ');
      column++;
    }
    text_bytes(t, words, n);
    column += n;
    words += n;
    while (*words == ' ') words++;
  }
  text_char(t, '\n');
}

static void put_all(struct text *t) {
  enum { COLUMN = 28 };
  for (const struct spec *const *s = specs; *s; s++) {
    size_t from = t->count;
    put_name(t, *s);
    pad(t, from, COLUMN);
    put_words(t, (*s)->summary, COLUMN, COLUMN);
    text_printf(t, "%*s", COLUMN, "");
    struct text calls;
    text_open(&calls, t->mem);
    for (unsigned m = 0; m < (*s)->op_count; m++) {
      size_t len;
      const char *name = spec_op_name(*s, m, &len);
      text_printf(&calls, "%s%.*s", m ? ", " : "", (int)len, name);
    }
    put_words(t, text_string(&calls), COLUMN, COLUMN);
    mem_free(t->mem, calls.at);
  }
}

static void put_one(struct text *t, const struct spec *s) {
  put_name(t, s);
  text_char(t, ':');
  put_words(t, s->summary, 0, t->count);
  if (s->param) text_printf(t, "\nparameter      %s, as in %s(%u)\n", s->param, s->name, s->k == SPEC_NIL ? 0 : s->k);
  if (*s->aliases) {
    text_printf(t, "%salso called    ", s->param ? "" : "\n");
    put_words(t, s->aliases, 15, 15);
  }
  text_add(t, "\n");
  for (unsigned m = 0; m < s->op_count; m++) {
    size_t from = t->count, len;
    put_call(t, s, m);
    pad(t, from, 21);
    text_printf(t, "-> %s\n", results[s->ops[m].result]);
    const char *others = s->ops[m].names;
    spec_op_name(s, m, &len);
    others += len;
    others += strspn(others, " ");
    if (!*others) continue;
    text_add(t, "    also: ");
    put_words(t, others, 10, 10);
  }
  if (s->keyed)
    text_printf(t, "\nOperations on different %s do not affect each other.\n", by_key(s) ? "keys" : "values");
  if (s->by_process) text_printf(t, "\nWhat an operation does depends on the process that calls it.\n");
}

static int run(const struct args *args) {
  struct text t;
  text_open(&t, args->mem);
  if (arg_flag(args, "names")) {
    for (const struct spec *const *s = specs; *s; s++) text_printf(&t, "%s\n", (*s)->name);
  } else if (!args->count) {
    put_all(&t);
    text_add(&t, "\nasif specs SPEC tells all about one.\n");
  } else {
    struct spec s;
    struct problem problem;
    if (!spec_load(args->at[0], &s, args->mem, &problem)) {
      say_error("%s", problem.text);
      return EXIT_USAGE;
    }
    put_one(&t, &s);
  }
  return write_stdout(text_string(&t), t.count) ? EXIT_HOLDS : EXIT_USAGE;
}

static const struct opt opts[] = {
    {"names", 'n', NULL, NULL, "only the names, one a line"},
    {NULL, 0, NULL, NULL, NULL},
};

const struct command command_specs = {
    .name = "specs",
    .usage = "[SPEC]",
    .summary = "list the specifications, or tell all about one",
    .details = "Without SPEC, lists every specification with its operations. With SPEC, tells what its\n"
               "operations take and return, and the other names under which a history may call them.\n"
               "Names are compared without case, and - and _ do not count. SPEC may also be a C file\n"
               "with a specification of your own, which is compiled and checked.\n"
               "\n"
               "Examples:\n"
               "  asif specs                     all of them\n"
               "  asif specs bounded-queue       one of them\n"
               "  asif specs my-queue.c          one of your own: does it compile, what has it?\n"
               "\n"
               "Exit status: 0 listed, 2 there is no such specification, or its file is wrong.\n",
    .opts = opts,
    .least = 0,
    .most = 1,
    .run = run,
    .operands = "@specs",
};
