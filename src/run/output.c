/* What the code prints. Nobody wants to read it of every schedule: it goes nowhere, but for that of a run that is told,
 * which is kept. The code prints through the C library that Asif itself prints with, so it is files 1 and 2 that lead
 * elsewhere, from a process's first run until it has something of its own to say (output_show). */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "run/runtime.h"

enum { FILES = 2, APART = 200 }; /* numbers that the code's own files are below, and keep theirs so */

static struct {
  int real[FILES]; /* standard output and error, as they were; or -1 */
  int kept;        /* where what is printed is kept; or -1 */
} output = {.kept = -1};
bool output_hidden;

static const int files[FILES] = {STDOUT_FILENO, STDERR_FILENO};

/* A sanitizer's report is not the code's. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static bool is_hidden(int file) { return file != STDERR_FILENO; }
#else
static bool is_hidden(int file) { return (void)file, true; }
#endif

static void lead_to(int to) {
  for (int i = 0; i < FILES; i++)
    if (output.real[i] >= 0) dup2(to, files[i]);
}

void output_hide(void) {
  if (output_hidden) return;
  output_hidden = true;
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  fflush(stdout);
  for (int i = 0; i < FILES; i++)
    output.real[i] = nowhere >= 0 && is_hidden(files[i]) ? fcntl(files[i], F_DUPFD_CLOEXEC, APART) : -1;
  lead_to(nowhere);
  if (nowhere >= 0) close(nowhere);
}

void output_show(void) {
  if (!output_hidden) return;
  fflush(stdout); /* what the code has left there is not Asif's */
  for (int i = 0; i < FILES; i++)
    if (output.real[i] >= 0) dup2(output.real[i], files[i]), close(output.real[i]);
  output_hidden = false;
}

void output_leave(void) {
  output_show();
  output_hidden = true;
  for (int i = 0; i < FILES; i++) output.real[i] = -1;
}

void output_keep(void) {
  output_hide();
  fflush(stdout);
  output.kept = memfd_create("printed", MFD_CLOEXEC);
  if (output.kept < 0) return;
  lead_to(output.kept);
  setvbuf(stdout, NULL, _IOLBF, 0); /* beside what goes to standard error at once */
}

size_t output_kept(char *to, size_t room) {
  if (output.kept < 0) return 0;
  fflush(stdout);
  off_t size = lseek(output.kept, 0, SEEK_END);
  ssize_t got = size > 0 ? pread(output.kept, to, room, size > (off_t)room ? size - (off_t)room : 0) : 0;
  close(output.kept);
  output.kept = -1;
  setvbuf(stdout, NULL, _IOFBF, 0);
  output_show();
  return got > 0 ? (size_t)got : 0;
}
