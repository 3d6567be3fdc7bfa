/* Running the compiler for `asif init`: see compiler.h. */
#include "init/compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool shell(const char *command, struct text *said) {
  char room[4096];
  FILE *f = popen(command, "r");
  if (!f) return false;
  for (size_t n; (n = fread(room, 1, sizeof room, f)) > 0;) text_bytes(said, room, n);
  int status = pclose(f);
  return WIFEXITED(status) && !WEXITSTATUS(status);
}

static const char *compiler_name(const struct toolchain *t) {
  const char *named = getenv(t->cxx ? "CXX" : "CC");
  return named && *named ? named : t->cxx ? "c++" : "cc";
}

static void put_flags(const struct toolchain *t, struct text *command) {
  for (char *const *flag = t->flags; flag && *flag; flag++) {
    text_char(command, ' ');
    text_shell_word(command, *flag);
  }
}

static bool compile(const struct toolchain *t, const char *what, const char *path, struct text *said) {
  struct text command;
  text_open(&command, t->mem);
  text_printf(&command, "%s %s", compiler_name(t), what);
  put_flags(t, &command);
  text_char(&command, ' ');
  text_shell_word(&command, path);
  text_add(&command, " 2>&1");
  return shell(text_string(&command), said);
}

bool toolchain_preprocess(const struct toolchain *t, const char *path, struct text *said) {
  return compile(t, t->cxx ? "-E -x c++" : "-E -x c", path, said);
}

bool toolchain_accepts(const struct toolchain *t, const char *path, struct text *said) {
  return compile(t, "-fsyntax-only", path, said);
}

/* A folder with the program in it, or NULL. */
static const char *make_folder(const struct toolchain *t, const char *program, const char **file) {
  const char *tmp = getenv("TMPDIR");
  struct text folder, path;
  text_open(&folder, t->mem);
  text_open(&path, t->mem);
  text_printf(&folder, "%s/asif-init-XXXXXX", tmp && *tmp ? tmp : "/tmp");
  if (!mkdtemp(folder.at)) return NULL;
  text_printf(&path, "%s/program.%s", folder.at, t->cxx ? "cc" : "c");
  *file = text_string(&path);
  FILE *f = fopen(*file, "w");
  bool good = f && fputs(program, f) >= 0;
  if (f) good = fclose(f) == 0 && good;
  if (good) return folder.at;
  unlink(*file);
  rmdir(folder.at);
  return NULL;
}

static bool compile_text(const struct toolchain *t, const char *what, const char *program, struct text *said) {
  const char *file, *folder = make_folder(t, program, &file);
  if (!folder) return false;
  bool good = compile(t, what, file, said);
  unlink(file);
  rmdir(folder);
  return good;
}

bool toolchain_preprocess_text(const struct toolchain *t, const char *program, struct text *said) {
  return compile_text(t, "-E", program, said);
}

bool toolchain_assembly(const struct toolchain *t, const char *program, struct text *said) {
  return compile_text(t, "-w -O0 -S -o -", program, said);
}

bool toolchain_run(const struct toolchain *t, const char *program, struct text *said) {
  const char *file, *folder = make_folder(t, program, &file);
  struct text binary, command;
  if (!folder) return false;
  text_open(&binary, t->mem);
  text_open(&command, t->mem);
  text_printf(&binary, "%s/program", folder);
  text_printf(&command, "%s -w -O0 -pthread ", compiler_name(t));
  text_shell_word(&command, file); /* before libraries that it needs */
  put_flags(t, &command);
  text_add(&command, " -o ");
  text_shell_word(&command, text_string(&binary));
  text_add(&command, " >/dev/null 2>&1 && ulimit -c 0 && ulimit -t 5 && ");
  text_shell_word(&command, text_string(&binary));
  text_add(&command, " 2>/dev/null </dev/null");
  bool good = shell(text_string(&command), said);
  unlink(text_string(&binary));
  unlink(file);
  rmdir(folder);
  return good;
}

const char *toolchain_error(struct mem *m, const char *said) {
  enum { LINES_MOST = 4, BYTES_MOST = 330 /* a problem has room for that and names */ };
  const char *at = strstr(said, "error:");
  while (at && at > said && at[-1] != '\n') at--;
  if (!at) at = said;
  size_t length = 0;
  for (int lines = 0; lines < LINES_MOST && at[length]; lines++) {
    size_t next = length + strcspn(at + length, "\n");
    if (next > BYTES_MOST && lines) break;
    length = next + (at[next] == '\n');
  }
  while (length && at[length - 1] == '\n') length--;
  return mem_string(m, at, length < BYTES_MOST ? length : BYTES_MOST);
}
