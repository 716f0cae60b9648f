/*
 * Writes known lines inside containers, in the ways in which programs write. It is static, as there are no libraries there.
 *
 *   log_writer HOW FIRST COUNT [until-read]   HOW: write writev uring zero-read stderr both hog
 *   log_writer until-read                     ends when its standard output's and error's pipes have been read
 *   log_writer paced FILE                     writes the records of a scheduler's log to standard error, at their own pace
 *   log_writer read-uring                     reads standard input through io_uring, and writes it to standard output
 *
 * Of a log's own pauses, long ones are shortened to half a second.
 * hog allocates one more page for each line, and keeps it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/writer_lines.h"

static void fail(const char* what) {
  perror(what);
  exit(1);
}

static void put(int fd, const char* bytes, size_t n) {
  while (n > 0) {
    ssize_t done = write(fd, bytes, n);
    if (done < 0) fail("write");
    bytes += done;
    n -= (size_t)done;
  }
}

/* In three parts, one of them empty. A pipe takes less than PIPE_BUF as a whole or not at all. */
static void put_vector(const char* line, size_t n) {
  struct iovec parts[3] = {{(void*)line, 5}, {NULL, 0}, {(void*)(line + 5), n - 5}};
  if (writev(STDOUT_FILENO, parts, 3) != (ssize_t)n) fail("writev");
}

static struct {
  int fd;
  unsigned *sq_tail, *sq_mask, *sq_array, *cq_head, *cq_tail, *cq_mask;
  struct io_uring_sqe* sqes;
  struct io_uring_cqe* cqes;
} ring;

static void* map(size_t size, off_t offset) {
  void* at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring.fd, offset);
  if (at == MAP_FAILED) fail("mmap of the ring");
  return at;
}

static void open_ring(void) {
  struct io_uring_params p = {0};
  ring.fd = (int)syscall(SYS_io_uring_setup, 4, &p);
  if (ring.fd < 0) fail("io_uring_setup");
  char* sq = map(p.sq_off.array + p.sq_entries * sizeof(unsigned), IORING_OFF_SQ_RING);
  char* cq = map(p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe), IORING_OFF_CQ_RING);
  ring.sqes = map(p.sq_entries * sizeof(struct io_uring_sqe), IORING_OFF_SQES);
  ring.sq_tail = (unsigned*)(sq + p.sq_off.tail);
  ring.sq_mask = (unsigned*)(sq + p.sq_off.ring_mask);
  ring.sq_array = (unsigned*)(sq + p.sq_off.array);
  ring.cq_head = (unsigned*)(cq + p.cq_off.head);
  ring.cq_tail = (unsigned*)(cq + p.cq_off.tail);
  ring.cq_mask = (unsigned*)(cq + p.cq_off.ring_mask);
  ring.cqes = (struct io_uring_cqe*)(cq + p.cq_off.cqes);
}

/* The kernel's answer to one request. */
static int through_ring(int opcode, int fd, const char* memory, size_t n) {
  unsigned tail = *ring.sq_tail, at = tail & *ring.sq_mask;
  ring.sqes[at] = (struct io_uring_sqe){.opcode = (__u8)opcode,
                                        .fd = fd,
                                        .off = (unsigned long long)-1,
                                        .addr = (unsigned long)memory,
                                        .len = (unsigned)n};
  ring.sq_array[at] = at;
  __atomic_store_n(ring.sq_tail, tail + 1, __ATOMIC_RELEASE);
  if (syscall(SYS_io_uring_enter, ring.fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0) fail("io_uring_enter");
  unsigned head = *ring.cq_head;
  if (head == __atomic_load_n(ring.cq_tail, __ATOMIC_ACQUIRE)) fail("no completion");
  int answer = ring.cqes[head & *ring.cq_mask].res;
  __atomic_store_n(ring.cq_head, head + 1, __ATOMIC_RELEASE);
  return answer;
}

static void put_uring(const char* line, size_t n) {
  if (through_ring(IORING_OP_WRITE, STDOUT_FILENO, line, n) != (int)n) fail("write through the ring");
}

static int read_uring(void) {
  static char bytes[4096];
  open_ring();
  for (int n; (n = through_ring(IORING_OP_READ, STDIN_FILENO, bytes, sizeof(bytes))) != 0;) {
    if (n < 0) fail("read through the ring");
    put(STDOUT_FILENO, bytes, (size_t)n);
  }
  return 0;
}

/* A read of length 0 returns 0, like the end of the pipe, but is not the end. */
static void read_nothing(void) {
  int own = open("/proc/self/fd/1", O_RDONLY | O_NONBLOCK);
  char c;
  if (own < 0 || read(own, &c, 0) != 0) fail("read of nothing");
  close(own);
}

/* A compiler leaves out memory that nobody can see. */
static char* volatile last_page;

static void take_page(void) {
  last_page = malloc(4096);
  if (!last_page) fail("malloc");
  memset(last_page, 1, 4096);
}

/* The time of a line in klog's text or JSON, in seconds; negative if the line has no time. */
static double time_of(const char* line) {
  int hours, minutes;
  double seconds;
  if (sscanf(line, "%*c%*4d %d:%d:%lf", &hours, &minutes, &seconds) == 3)
    return hours * 3600 + minutes * 60 + seconds;
  return sscanf(line, "{\"ts\":%lf", &seconds) == 1 ? seconds / 1000 : -1;
}

/* Longer pauses prove nothing more: whoever reads the log takes a record to be whole after less than half of this. */
static const double longest_pause = 0.5;

static struct timespec begin;

static void put_when_due(double when, const char* record, size_t n) {
  const long long ns = (long long)(when * 1e9) + begin.tv_nsec;
  const struct timespec due = {begin.tv_sec + ns / 1000000000, ns % 1000000000};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
  put(STDERR_FILENO, record, n);
}

/* A record is a line with a time and the lines without one after it: a scheduler writes it at once. */
static int paced(const char* file) {
  FILE* in = fopen(file, "r");
  if (!in) fail(file);
  clock_gettime(CLOCK_MONOTONIC, &begin);
  char *line = NULL, *record = NULL;
  size_t size = 0, n = 0;
  double when = 0, last = -1;
  for (ssize_t more; (more = getline(&line, &size, in)) > 0;) {
    const double now = time_of(line);
    if (now >= 0) {
      put_when_due(when, record, n);
      n = 0;
      if (last >= 0 && now > last) when += now - last < longest_pause ? now - last : longest_pause;
      last = now;
    }
    record = realloc(record, n + (size_t)more);
    if (!record) fail("realloc");
    memcpy(record + n, line, (size_t)more);
    n += (size_t)more;
  }
  put_when_due(when, record, n);
  fclose(in);
  return 0;
}

/* Or until nobody reads it any more, or the container's root is gone: then nobody waits for its end. */
static void wait_until_read(int fd) {
  struct pollfd pipe = {.fd = fd};
  for (int waiting; access("/bin", F_OK) == 0 && poll(&pipe, 1, 0) == 0; usleep(10000))
    if (ioctl(fd, FIONREAD, &waiting) != 0 || waiting == 0) return;
}

static int until_read(void) {
  wait_until_read(STDOUT_FILENO);
  wait_until_read(STDERR_FILENO);
  return 0;
}

int main(int argc, char** argv) {
  const int waits = argc == 5 && strcmp(argv[4], "until-read") == 0;
  if (argc == 2 && strcmp(argv[1], "until-read") == 0) return until_read();
  if (argc == 3 && strcmp(argv[1], "paced") == 0) return paced(argv[2]);
  if (argc == 2 && strcmp(argv[1], "read-uring") == 0) return read_uring();
  if (argc != 4 && !waits) return 2;
  const char* how = argv[1];
  unsigned first = (unsigned)atoi(argv[2]), count = (unsigned)atoi(argv[3]);
  if (strcmp(how, "uring") == 0) open_ring();
  for (unsigned i = first; i < first + count; ++i) {
    char line[WRITER_LONGEST];
    size_t n = writer_line(i, line);
    if (strcmp(how, "writev") == 0) {
      put_vector(line, n);
    } else if (strcmp(how, "uring") == 0) {
      put_uring(line, n);
    } else {
      if (strcmp(how, "zero-read") == 0) read_nothing();
      if (strcmp(how, "hog") == 0) take_page();
      int to_stderr = strcmp(how, "stderr") == 0 || (strcmp(how, "both") == 0 && writer_line_is_error(i));
      put(to_stderr ? STDERR_FILENO : STDOUT_FILENO, line, n);
    }
  }
  return waits ? until_read() : 0;
}
