/* What the compiler knows: where headers are, what it answers them, and the macros that it defines, of each standard.
 * Written down when Asif was built (tools/predefined), as
 *
 *   compiler cc
 *   folder /usr/include
 *   asked __has_attribute
 *   asked __has_attribute(pure) 1
 *   standard gnu11
 *   #define __STDC__ 1
 *   ...
 *   standard c11
 *   ... */
#include "front/pp.h"

extern const char asset_predefined_txt[];

static const char *line_after(const char *p, const char *word) {
  size_t n = strlen(word);
  return !strncmp(p, word, n) ? p + n : NULL;
}

const char *predefined_compiler(size_t *length) {
  const char *name = line_after(asset_predefined_txt, "compiler ");
  *length = strcspn(name, "\n");
  return name;
}

void predefined_folders(struct pp *pp) {
  for (const char *p = asset_predefined_txt; (p = strstr(p, "\nfolder "));) {
    p += strlen("\nfolder ");
    vec_push(pp->mem, &pp->system_folders, mem_string(pp->mem, p, strcspn(p, "\n")));
  }
}

int predefined_answer(const char *operator, const char * name) {
  char line[200];
  snprintf(line, sizeof line, name ? "\nasked %s(%s) " : "\nasked %s\n", operator, name);
  const char *end = strstr(asset_predefined_txt, "\nstandard "); /* the answers come first */
  size_t length = end ? (size_t)(end + 1 - asset_predefined_txt) : strlen(asset_predefined_txt);
  const char *p = strlen(line) + 1 < sizeof line ? memmem(asset_predefined_txt, length, line, strlen(line)) : NULL;
  return !p ? -1 : name ? p[strlen(line)] == '1' : 1;
}

/* The first definition of a standard; NULL if it is not there. */
static const char *standard_start(const char *standard) {
  size_t n = strlen(standard);
  for (const char *p = asset_predefined_txt; (p = strstr(p, "\nstandard "));) {
    p += strlen("\nstandard ");
    if (!strncmp(p, standard, n) && p[n] == '\n') return p + n + 1;
  }
  return NULL;
}

bool predefined_has(const char *standard) {
  const char *p = standard_start(standard);
  return p && line_after(p, "#define ");
}

/* They are read when they are needed, which is seldom. */
void pp_predefine(struct pp *pp, const char *standard) {
  const char *p = standard_start(standard);
  while ((p = line_after(p, "#define "))) {
    const char *end = p;
    while (pp_word_char(*end)) end++;
    struct pp_name *n = pp_name(pp, p, (size_t)(end - p));
    n->macro = mem_piece(pp->mem, sizeof *n->macro);
    *n->macro = (struct pp_macro){.unread = end, .unread_end = strchr(end, '\n')};
    p = strchr(end, '\n') + 1;
  }
}
