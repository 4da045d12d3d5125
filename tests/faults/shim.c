/* Makes calls on the files of one folder fail, as a disk does that is full or broken.
 *
 * Loaded with LD_PRELOAD into the server. What fails, how and when stands in a file that the test and the process share
 * (FAULTS_CONTROL), so that faults are switched while the process runs. Numbers are little-endian 32-bit words:
 *
 *   0  which calls, a bit each in the order of `enum call`; 0 is none
 *   4  the errno
 *   8  how many calls go through before one fails
 *  12  0: one call fails; 1: every one from then on
 *  16  on whose files, of which alone calls are counted: 1 is SQLite's, 2 all others'
 *  20  how many have failed on SQLite's files (written here)
 *  24  the same on others
 *  28  the folder, NUL-terminated
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

enum call { PWRITE, WRITE, FDATASYNC, FSYNC, FTRUNCATE, OPEN, RENAME };

enum files { DATABASE = 1, OTHERS = 2 };

struct control {
  _Atomic unsigned calls, error, before, every, files, failed_in_database, failed_in_others;
  char folder[1024];
};

static struct control *control;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("FAULTS_CONTROL");
  int fd = path ? open(path, O_RDWR) : -1;
  if (fd < 0) return;
  void *map = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (map != MAP_FAILED) control = map;
}

/* SQLite has the database, its write-ahead log and the index of that; the lock beside them is the console's own. */
static enum files files_of(const char *path) {
  const char *name = strrchr(path, '/');
  return name && strncmp(name, "/skyrack.db", 11) == 0 && !strstr(name, ".lock") ? DATABASE : OTHERS;
}

static int fails(enum call call, const char *path) {
  size_t length = strlen(control->folder);
  if (length == 0 || strncmp(path, control->folder, length) != 0) return 0;
  enum files files = files_of(path);
  if (!(control->files & files)) return 0;
  unsigned before = control->before;
  while (before > 0)
    if (atomic_compare_exchange_weak(&control->before, &before, before - 1)) return 0;
  if (!control->every) {
    unsigned armed = control->calls;
    /* Two threads may get here at once; the one that disarms is the one that fails. */
    do {
      if (!(armed & (1u << call))) return 0;
    } while (!atomic_compare_exchange_weak(&control->calls, &armed, 0));
  }
  atomic_fetch_add(files == DATABASE ? &control->failed_in_database : &control->failed_in_others, 1);
  errno = (int)control->error;
  return 1;
}

static int is_armed(enum call call) { return control && (control->calls & (1u << call)); }

static int fails_at(enum call call, int fd) {
  if (!is_armed(call)) return 0;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return fails(call, path);
}

/* `real` is what the process would have called without us. */
#define REAL(name) \
  static __typeof__(name) *real; \
  if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

#define PWRITE_LIKE(name) \
  ssize_t name(int fd, const void *data, size_t size, off64_t at) { \
    REAL(name); \
    return fails_at(PWRITE, fd) ? -1 : real(fd, data, size, at); \
  }
PWRITE_LIKE(pwrite)
PWRITE_LIKE(pwrite64)

ssize_t write(int fd, const void *data, size_t size) {
  REAL(write);
  return fails_at(WRITE, fd) ? -1 : real(fd, data, size);
}

#define SYNC_LIKE(name, call) \
  int name(int fd) { \
    REAL(name); \
    return fails_at(call, fd) ? -1 : real(fd); \
  }
SYNC_LIKE(fdatasync, FDATASYNC)
SYNC_LIKE(fsync, FSYNC)

#define TRUNCATE_LIKE(name) \
  int name(int fd, off64_t size) { \
    REAL(name); \
    return fails_at(FTRUNCATE, fd) ? -1 : real(fd, size); \
  }
TRUNCATE_LIKE(ftruncate)
TRUNCATE_LIKE(ftruncate64)

#define MODE(flags, mode) \
  if ((flags) & (O_CREAT | O_TMPFILE)) { \
    va_list rest; \
    va_start(rest, flags); \
    mode = va_arg(rest, unsigned); \
    va_end(rest); \
  }

#define OPEN_LIKE(name) \
  int name(const char *path, int flags, ...) { \
    REAL(name); \
    unsigned mode = 0; \
    MODE(flags, mode) \
    return is_armed(OPEN) && fails(OPEN, path) ? -1 : real(path, flags, mode); \
  }
OPEN_LIKE(open)
OPEN_LIKE(open64)

#define OPENAT_LIKE(name) \
  int name(int at, const char *path, int flags, ...) { \
    REAL(name); \
    unsigned mode = 0; \
    MODE(flags, mode) \
    return is_armed(OPEN) && fails(OPEN, path) ? -1 : real(at, path, flags, mode); \
  }
OPENAT_LIKE(openat)
OPENAT_LIKE(openat64)

int rename(const char *from, const char *to) {
  REAL(rename);
  return is_armed(RENAME) && fails(RENAME, to) ? -1 : real(from, to);
}
