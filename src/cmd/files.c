/* Output: files whole or not at all, how wide a terminal is, and the exit status a verdict is.
 *
 * A regular file is written to a temporary beside it and renamed, so that a full disk or an interrupt leaves the old
 * one as it was. Devices and pipes are written in place. A closed pipe is no news to whoever closed it: nothing is
 * said, but the write has failed, and the command ends with status 2 like for any other output that was lost. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"

static bool write_all(int fd, const char *bytes, size_t count) {
  while (count) {
    ssize_t n = write(fd, bytes, count < (1u << 30) ? count : (1u << 30));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes += n;
    count -= (size_t)n;
  }
  return true;
}

static bool failed(const char *path) {
  if (errno != EPIPE) say_error("cannot write %s: %s", path, strerror(errno));
  return false;
}

bool write_stdout(const char *bytes, size_t count) {
  if (fflush(stdout) || !write_all(STDOUT_FILENO, bytes, count)) return failed("standard output");
  return true;
}

static bool write_in_place(const char *path, const char *bytes, size_t count) {
  int fd = open(path, O_WRONLY | O_TRUNC);
  if (fd < 0) return failed(path);
  bool ok = write_all(fd, bytes, count);
  int why = errno;
  if (close(fd) && ok) return failed(path);
  errno = why;
  return ok || failed(path);
}

/* The temporary gets the permissions the file had, or those a new file gets. */
static void permit(int fd, const struct stat *old) {
  mode_t mask = umask(0);
  umask(mask);
  (void)!fchmod(fd, old ? old->st_mode & 07777 : 0666 & ~mask);
}

bool write_file(const char *path, const char *bytes, size_t count) {
  if (!strcmp(path, "-")) return write_stdout(bytes, count);
  struct stat st;
  bool exists = !stat(path, &st);
  if (exists && S_ISDIR(st.st_mode)) {
    errno = EISDIR;
    return failed(path);
  }
  if (exists && !S_ISREG(st.st_mode)) return write_in_place(path, bytes, count);
  char real[PATH_MAX], temporary[PATH_MAX + 8];
  if (!exists || !realpath(path, real))
    snprintf(real, sizeof real, "%s", path); /* through a link, to the file itself */
  if (strlen(real) + 1 >= sizeof real) {
    errno = ENAMETOOLONG;
    return failed(path);
  }
  snprintf(temporary, sizeof temporary, "%s.XXXXXX", real);
  int fd = mkstemp(temporary);
  if (fd < 0) return failed(path);
  permit(fd, exists ? &st : NULL);
  bool ok = write_all(fd, bytes, count);
  int why = errno;
  if (close(fd) && ok) {
    ok = false;
    why = errno;
  }
  if (ok && rename(temporary, real)) {
    ok = false;
    why = errno;
  }
  if (ok) return true;
  unlink(temporary);
  errno = why;
  return failed(path);
}

const char *writable_path(const char *path) {
  struct stat st;
  char folder[PATH_MAX];
  if (!path || !strcmp(path, "-")) return path;
  if (!stat(path, &st) && !S_ISREG(st.st_mode)) return S_ISDIR(st.st_mode) || access(path, W_OK) ? NULL : path;
  snprintf(folder, sizeof folder, "%s", path);
  char *slash = strrchr(folder, '/');
  if (slash) slash[slash == folder] = 0;
  return access(slash ? folder : ".", W_OK | X_OK) ? NULL : path;
}

int terminal_columns(void) {
  struct winsize w;
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 0 ? w.ws_col : 100;
}
