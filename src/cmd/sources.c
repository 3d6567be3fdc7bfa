/* The files of a command, and the arguments for the compiler: those behind --, those that --compile-commands finds. */
#include <string.h>

#include "cmd/sources.h"
#include "front/ast.h"
#include "front/compile_commands.h"

static void add(const struct args *a, struct flag_list *to, const char *first, const char *second) {
  struct text t;
  text_open(&t, a->mem);
  text_printf(&t, "%s%s", first, second);
  vec_push(a->mem, &to->list, (char *)text_string(&t));
}

bool sources_flags(const struct args *a, const char *path, struct flag_list *to) {
  struct problem why;
  const char *json = arg_value(a, "compile-commands");
  if (!json || compile_commands(a->mem, json, path, to, &why)) return true;
  say_error("%s", why.text);
  return false;
}

char **sources_arguments(const struct args *a) {
  struct flag_list to = {{NULL, 0, 0}};
  bool found = arg_value(a, "compile-commands") != NULL;
  for (int i = 1; i < a->own; i++) add(a, &to, FLAG_WITH, a->at[i]);
  for (int i = 0; i < a->own && found; i++) {
    add(a, &to, FLAG_FOR, a->at[i]);
    if (!sources_flags(a, a->at[i], &to)) return NULL;
  }
  if (found) add(a, &to, FLAG_FOR, "");
  for (int i = a->own; i < a->count; i++) vec_push(a->mem, &to.list, a->at[i]);
  vec_push(a->mem, &to.list, NULL);
  const char *stray = flags_stray(to.list.at);
  if (!stray) return to.list.at;
  usage_error(a, "too many arguments: %s", stray);
  return NULL;
}
