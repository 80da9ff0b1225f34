/* Faults between a program and its disk and clock, preloaded with LD_PRELOAD.

   The program maps a control file (faults_attach, or FAULTS_CONTROL in the environment) that a harness changes at any
   time; faults.py has the same layout.
   Counted are the operations that change a file whose path contains `match`, or make it
   durable. Operation number `at` (from 1) is the one at which the process is killed, or the first of `times` that fail. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#undef open
#undef open64
#undef openat
#undef openat64
#undef pwrite
#undef pwrite64
#undef ftruncate
#undef ftruncate64
#undef copy_file_range

enum { OFF, KILL_BEFORE, KILL_AFTER, KILL_TORN, FAIL, FAIL_SHORT };
enum { WRITE = 1, SYNC = 2, TRUNCATE = 4, OPEN = 8, UNLINK = 16, RENAME = 32 };

struct control {
    int64_t clock_offset; /* of CLOCK_REALTIME, nanoseconds */
    int64_t count;        /* operations so far */
    int64_t at;
    int64_t times;        /* -1: all */
    int64_t failed;       /* operations that failed or were killed */
    int32_t mode;
    int32_t error;        /* errno */
    int32_t kinds;        /* which operations are counted and fail */
    int32_t log;          /* whether operations are logged to `log_path` */
    char match[256];
    char log_path[256];
};

static struct control *control;
static int log_file = -1;
static unsigned char watched[4096];

#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

int faults_attach(const char *path) {
    int file = open(path, O_RDWR | O_CLOEXEC);
    void *map;
    if (file < 0) return -1;
    map = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (map == MAP_FAILED) return -1;
    memset(watched, 0, sizeof watched);
    control = map;
    if (control->log) log_file = open(control->log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    return 0;
}

__attribute__((constructor)) static void from_environment(void) {
    const char *path = getenv("FAULTS_CONTROL");
    if (path) faults_attach(path);
}

/* Which file: 1 the database, 2 its write-ahead log, 3 anything else that is matched (index, lock); 0 not matched. */
static int which(const char *path) {
    size_t length = strlen(path);
    if (!control || !control->match[0] || !strstr(path, control->match)) return 0;
    if (length > 4 && !strcmp(path + length - 4, "-wal")) return 2;
    if (length > 7 && !strcmp(path + length - 7, ".sqlite")) return 1;
    return 3;
}

/* The same for a path that may be relative to an open folder. */
static const char *whole(int folder, const char *path) {
    static __thread char name[8192];
    char link[64];
    ssize_t length;
    if (path[0] == '/') return path;
    if (folder == AT_FDCWD) strcpy(link, "/proc/self/cwd");
    else snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    length = readlink(link, name, 4096);
    if (length < 0) return path;
    snprintf(name + length, sizeof name - (size_t)length, "/%s", path);
    return name;
}

static int seen(int file) { return control && file >= 0 && file < (int)sizeof watched ? watched[file] : 0; }

struct entry { int32_t file, kind; int64_t offset, length; };

static void note(int file, int kind, const void *data, int64_t offset, int64_t length) {
    struct entry entry = {seen(file), kind, offset, length};
    static ssize_t (*put)(int, const void *, size_t);
    if (log_file < 0) return;
    if (!put) put = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    put(log_file, &entry, sizeof entry);
    if (data) put(log_file, data, (size_t)length);
}

static void die(void) {
    control->failed++;
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

/* Count the operation. Return the mode that applies to it, OFF for none. */
static int fate(int file, int kind) {
    int64_t number;
    if (!seen(file) && kind != OPEN && kind != UNLINK && kind != RENAME) return OFF;
    if (!control || !(control->kinds & kind)) return OFF;
    number = __atomic_add_fetch(&control->count, 1, __ATOMIC_SEQ_CST);
    switch (control->mode) {
    case OFF:
        return OFF;
    case FAIL:
    case FAIL_SHORT:
        if (number < control->at || (control->times >= 0 && number >= control->at + control->times)) return OFF;
        control->failed++;
        return control->mode;
    default:
        if (number != control->at) return OFF;
        if (control->mode == KILL_BEFORE) die();
        return control->mode;
    }
}

#define PASS_OR_FAIL(file, kind, call) \
    do { \
        int mode = fate(file, kind), result; \
        if (mode == FAIL || mode == FAIL_SHORT) { errno = control->error; return -1; } \
        result = call; \
        if (mode == KILL_AFTER || mode == KILL_TORN) die(); \
        return result; \
    } while (0)

static ssize_t put_at(int file, const void *data, size_t length, off_t offset, int positioned) {
    static ssize_t (*at)(int, const void *, size_t, off_t);
    static ssize_t (*plain)(int, const void *, size_t);
    int mode = fate(file, WRITE);
    size_t part = mode == KILL_TORN || mode == FAIL_SHORT ? length / 2 : length;
    ssize_t done;
    if (!at) at = (ssize_t (*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite64");
    if (!plain) plain = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    if (mode == FAIL || (mode == FAIL_SHORT && part == 0)) { errno = control->error; return -1; }
    done = positioned ? at(file, data, part, offset) : plain(file, data, part);
    if (positioned && seen(file) && done > 0) note(file, WRITE, data, offset, done);
    if (mode == KILL_AFTER || mode == KILL_TORN) die();
    if (mode == FAIL_SHORT) control->mode = FAIL;
    return done;
}

ssize_t write(int file, const void *data, size_t length) { return put_at(file, data, length, 0, 0); }
ssize_t pwrite(int file, const void *data, size_t length, off_t offset) { return put_at(file, data, length, offset, 1); }
ssize_t pwrite64(int file, const void *data, size_t length, off64_t offset) {
    return put_at(file, data, length, offset, 1);
}

static int synced(int file, int result) {
    if (result == 0 && seen(file)) note(file, SYNC, NULL, 0, 0);
    return result;
}
int fsync(int file) { REAL(fsync); PASS_OR_FAIL(file, SYNC, synced(file, real(file))); }
int fdatasync(int file) { REAL(fdatasync); PASS_OR_FAIL(file, SYNC, synced(file, real(file))); }

static int cut(int file, off_t length, int result) {
    if (result == 0 && seen(file)) note(file, TRUNCATE, NULL, length, 0);
    return result;
}
int ftruncate(int file, off_t length) {
    REAL(ftruncate);
    PASS_OR_FAIL(file, TRUNCATE, cut(file, length, real(file, length)));
}
int ftruncate64(int file, off64_t length) {
    REAL(ftruncate64);
    PASS_OR_FAIL(file, TRUNCATE, cut(file, length, real(file, length)));
}
ssize_t copy_file_range(int from, off64_t *at, int to, off64_t *there, size_t length, unsigned flags) {
    int mode = fate(to, WRITE);
    size_t part = mode == KILL_TORN || mode == FAIL_SHORT ? length / 2 : length;
    ssize_t done;
    REAL(copy_file_range);
    if (mode == FAIL) { errno = control->error; return -1; }
    done = real(from, at, to, there, part, flags);
    if (mode == KILL_AFTER || mode == KILL_TORN) die();
    if (mode == FAIL_SHORT) control->mode = FAIL;
    return done;
}

#define OF_NAMES(name, kind, parameters, matched, arguments) \
    int name parameters { \
        REAL(name); \
        if (!(matched)) return real arguments; \
        PASS_OR_FAIL(-1, kind, real arguments); \
    }
OF_NAMES(unlink, UNLINK, (const char *path), which(path), (path))
OF_NAMES(unlinkat, UNLINK, (int folder, const char *path, int flags), which(whole(folder, path)), (folder, path, flags))
OF_NAMES(rmdir, UNLINK, (const char *path), which(path), (path))
OF_NAMES(rename, RENAME, (const char *path, const char *to), which(path) || which(to), (path, to))
OF_NAMES(mkdir, OPEN, (const char *path, mode_t mode), which(path), (path, mode))
OF_NAMES(mkdirat, OPEN, (int folder, const char *path, mode_t mode), which(whole(folder, path)), (folder, path, mode))

static int opened(const char *path, int file) {
    if (file >= 0 && file < (int)sizeof watched) watched[file] = (unsigned char)which(path);
    return file;
}
#define WITH_MODE(flags) \
    mode_t rights = 0; \
    if ((flags) & (O_CREAT | O_TMPFILE)) { va_list rest; va_start(rest, flags); rights = va_arg(rest, mode_t); va_end(rest); }
#define OPENING(path, flags, call) \
    if (!which(path) || ((flags) & O_ACCMODE) == O_RDONLY) return opened(path, call); \
    PASS_OR_FAIL(-1, OPEN, opened(path, call))

int open(const char *path, int flags, ...) { REAL(open); WITH_MODE(flags) OPENING(path, flags, real(path, flags, rights)); }
int open64(const char *path, int flags, ...) {
    REAL(open64);
    WITH_MODE(flags)
    OPENING(path, flags, real(path, flags, rights));
}
int openat(int folder, const char *path, int flags, ...) {
    REAL(openat);
    const char *name = control ? whole(folder, path) : path;
    WITH_MODE(flags)
    OPENING(name, flags, real(folder, path, flags, rights));
}
int openat64(int folder, const char *path, int flags, ...) {
    REAL(openat64);
    const char *name = control ? whole(folder, path) : path;
    WITH_MODE(flags)
    OPENING(name, flags, real(folder, path, flags, rights));
}
int close(int file) {
    REAL(close);
    if (file >= 0 && file < (int)sizeof watched) watched[file] = 0;
    return real(file);
}

/* The wall clock; the monotonic clock stays right. */
static void shift(struct timespec *now) {
    int64_t all;
    if (!control || !control->clock_offset) return;
    all = now->tv_sec * 1000000000LL + now->tv_nsec + control->clock_offset;
    now->tv_sec = all / 1000000000LL;
    now->tv_nsec = all % 1000000000LL;
}
int clock_gettime(clockid_t clock, struct timespec *now) {
    int result;
    REAL(clock_gettime);
    result = real(clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) shift(now);
    return result;
}
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec exact;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &exact)) return -1;
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}
time_t time(time_t *out) {
    struct timespec exact;
    if (clock_gettime(CLOCK_REALTIME, &exact)) return -1;
    if (out) *out = exact.tv_sec;
    return exact.tv_sec;
}
