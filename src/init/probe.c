/* What can be done with a C++ class: see probe.h. The program that asks has a constant for each question, whose value
 * the compiler writes into its assembly; nothing is linked or run. */
#include "init/probe.h"

#include <stdlib.h>
#include <string.h>

#include "init/compiler.h"

static const char preamble[] =
    "#include <cstddef>\n"
    "#include <memory>\n"
    "#include <mutex>\n"
    "#include <type_traits>\n"
    "#include <utility>\n"
    "#include <vector>\n"
    "#include %s\n"
    "#define SIZE %u\n"
    "namespace asif_probe {\n"
    "typedef %s container;\n"
    "typedef %s element;\n"
    "struct unrelated {};\n"
    "struct number {\n"
    "  template <class I, class = typename std::enable_if<std::is_integral<I>::value && !std::is_same<I, bool>::value "
    "&&\n"
    "                                                     !std::is_same<I, char>::value>::type>\n"
    "  operator I() const;\n"
    "};\n"
    "template <class...> struct when { typedef void type; };\n"
    "template <class R, class = void> struct is_true : std::false_type {};\n"
    "template <class R> struct is_true<R, typename when<decltype(static_cast<bool>(std::declval<R &>()))>::type>\n"
    "    : std::true_type {};\n"
    "template <class R, class = void> struct is_optional : std::false_type {};\n"
    "template <class R> struct is_optional<R, typename when<decltype(static_cast<bool>(std::declval<R &>())),\n"
    "    decltype(static_cast<element>(*std::declval<R &>()))>::type> : std::true_type {};\n"
    "template <class R, class = void> struct is_pair : std::false_type {};\n"
    "template <class R> struct is_pair<R, typename when<decltype(static_cast<bool>(std::declval<R "
    "&>().second))>::type>\n"
    "    : std::true_type {};\n"
    "template <class C, class R, class = void> struct is_iterator : std::false_type {};\n"
    "template <class C, class R> struct is_iterator<C, R,\n"
    "    typename when<decltype(static_cast<bool>(std::declval<R &>() != std::declval<C &>().end()))>::type>\n"
    "    : std::true_type {};\n"
    "template <class C, class Returned> struct gives {\n"
    "  typedef typename std::remove_cv<typename std::remove_reference<Returned>::type>::type R;\n"
    "  static const int is = std::is_void<R>::value ? 1 : std::is_same<R, bool>::value ? 2\n"
    "      : std::is_integral<R>::value ? (std::is_unsigned<R>::value && !std::is_same<R, element>::value ? 3 : 4)\n"
    "      : std::is_enum<R>::value ? 5 : std::is_same<R, element>::value ? 6 : is_pair<R>::value ? 7\n"
    "      : is_iterator<C, R>::value ? 8 : is_optional<R>::value ? 9 : is_true<R>::value ? 10 : 11;\n"
    "};\n"
    "extern \"C\" {\n"
    "extern const int asif_probe_sized, asif_probe_plain, asif_probe_fits;\n"
    "const int asif_probe_sized = 1 + ((std::is_constructible<container, number>::value ||\n"
    "    std::is_constructible<container, std::size_t>::value) && !std::is_constructible<container, "
    "unrelated>::value);\n"
    "const int asif_probe_fits = 1 + (std::is_arithmetic<element>::value || std::is_pointer<element>::value);\n"
    "const int asif_probe_plain = 1 + std::is_default_constructible<container>::value;\n"
    "}\n";

static void add(struct mem *m, struct probe *p, enum role role, const char *name, enum call_form form, bool threaded) {
  for (size_t i = 0; i < p->calls.count; i++) {
    const struct probe_call *c = &p->calls.at[i];
    if (c->role == role && c->form == form && c->threaded == threaded && !strcmp(c->name, name)) return;
  }
  vec_push(m, &p->calls, ((struct probe_call){role, name, form, threaded, GIVES_ERROR}));
}

void probe_add(struct mem *m, struct probe *p, enum role role, const char *name) {
  static const enum call_form forms[ROLES][6] = {
      [ROLE_PUT] = {CALL_VALUE + 1, CALL_MOVED + 1, CALL_POINTER + 1, CALL_KEY_VALUE + 1, CALL_PAIR + 1},
      [ROLE_GET] = {CALL_OUT + 1, CALL_OUT_POINTER + 1, CALL_OUT_ITEM + 1, CALL_NONE + 1},
      [ROLE_STEAL] = {CALL_OUT + 1, CALL_OUT_POINTER + 1, CALL_OUT_ITEM + 1, CALL_NONE + 1},
      [ROLE_CONTAINS] = {CALL_VALUE + 1},
      [ROLE_ERASE] = {CALL_VALUE + 1},
      [ROLE_LOOK_UP] = {CALL_KEY_OUT + 1},
  };
  bool threads = role == ROLE_PUT || role == ROLE_GET || role == ROLE_STEAL;
  for (int i = 0; forms[role][i]; i++) {
    enum call_form form = (enum call_form)(forms[role][i] - 1);
    add(m, p, role, name, form, false);
    if (threads && form != CALL_KEY_VALUE && form != CALL_PAIR) add(m, p, role, name, form, true);
  }
}

static const char *arguments(enum call_form form) {
  static const char v[] = "std::declval<element &>()";
  switch (form) {
  case CALL_VALUE:
  case CALL_OUT: return v;
  case CALL_MOVED: return "std::declval<element>()";
  case CALL_POINTER:
  case CALL_OUT_POINTER: return "std::declval<element *>()";
  case CALL_OUT_ITEM: return "std::declval<element *&>()";
  case CALL_NONE: return "";
  case CALL_KEY_VALUE:
  case CALL_KEY_OUT: return "std::declval<element &>(), std::declval<element &>()";
  case CALL_PAIR: return "{std::declval<element &>(), std::declval<element &>()}";
  }
  return "";
}

/* A constant asif_probe_NAME: one more than what the member's call gives. */
static void put_question(struct text *t, const char *name, const char *member, const char *args, bool threaded) {
  struct text call;
  text_open(&call, t->mem);
  text_printf(&call, "std::declval<C &>().%s(%s%s%s)", member, args, threaded && *args ? ", " : "",
              threaded ? "std::declval<int>()" : "");
  text_printf(
      t,
      "template <class C, class = void> struct ask_%s { static const int is = 0; };\n"
      "template <class C> struct ask_%s<C, decltype((void)(%s))> {\n"
      "  static const int is = gives<C, decltype(%s)>::is;\n"
      "};\n"
      "extern \"C\" {\nextern const int asif_probe_%s;\nconst int asif_probe_%s = 1 + ask_%s<container>::is;\n}\n",
      name, name, text_string(&call), text_string(&call), name, name, name);
}

/* The constant's value less one. */
static int answer(struct mem *m, const char *assembly, const char *name) {
  struct text label;
  text_open(&label, m);
  text_printf(&label, "\nasif_probe_%s:", name);
  const char *at = strstr(assembly, text_string(&label));
  if (!at) return 0;
  at += label.count;
  at += strcspn(at, "\n"); /* the line after it: a directive and the value */
  at += strspn(at, " \t\n");
  at += strcspn(at, " \t\n");
  long value = strtol(at, NULL, 0);
  return value < 1 ? 0 : (int)value - 1;
}

bool probe_ask(const struct toolchain *c, struct probe *p, struct text *said) {
  struct text program, name;
  text_open(&program, c->mem);
  text_open(&name, c->mem);
  text_printf(&program, preamble, p->include, p->size, p->type, p->element);
  put_question(&program, "set_capacity", "set_capacity", "std::declval<std::size_t>()", false);
  put_question(&program, "front", "front", "", false);
  put_question(&program, "empty", "empty", "", false);
  for (size_t i = 0; i < p->calls.count; i++) {
    text_clear(&name);
    text_printf(&name, "%zu", i);
    const struct probe_call *call = &p->calls.at[i];
    put_question(&program, text_string(&name), call->name, arguments(call->form), call->threaded);
    if (call->form != CALL_OUT) continue;
    text_add(&name, "_copied"); /* what takes a copy as well gives nothing back through it */
    put_question(&program, text_string(&name), call->name, arguments(CALL_MOVED), call->threaded);
  }
  text_add(&program, "}\n");
  if (!toolchain_assembly(c, text_string(&program), said)) return false;
  const char *assembly = text_string(said);
  p->sized = answer(c->mem, assembly, "sized");
  p->fits = answer(c->mem, assembly, "fits");
  p->plain = answer(c->mem, assembly, "plain");
  p->set_capacity = answer(c->mem, assembly, "set_capacity");
  p->front = (enum call_result)answer(c->mem, assembly, "front");
  p->empty = answer(c->mem, assembly, "empty") == GIVES_TRUTH;
  for (size_t i = 0; i < p->calls.count; i++) {
    text_clear(&name);
    text_printf(&name, "%zu", i);
    p->calls.at[i].gives = (enum call_result)answer(c->mem, assembly, text_string(&name));
    if (p->calls.at[i].form != CALL_OUT) continue;
    text_add(&name, "_copied");
    if (answer(c->mem, assembly, text_string(&name))) p->calls.at[i].gives = GIVES_ERROR;
  }
  text_clear(said);
  return true;
}
