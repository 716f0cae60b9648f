/* The lines that log_writer writes, for log_writer and for the tests. */
#ifndef FLOWTAP_TESTS_WRITER_LINES_H
#define FLOWTAP_TESTS_WRITER_LINES_H

#include <stddef.h>
#include <string.h>

#define WRITER_LONGEST 128

/* Line i has at most WRITER_LONGEST bytes with its newline: its number, and letters, whose count depends on the number. */
static inline size_t writer_line(unsigned i, char* out) {
  const size_t letters = i * 7U % 90U;
  size_t at = 10;
  unsigned rest = i;
  while (at-- > 0) {
    out[at] = (char)('0' + rest % 10U);
    rest /= 10U;
  }
  out[10] = ' ';
  memset(out + 11, (int)('a' + i % 26U), letters);
  out[11 + letters] = '\n';
  return 12 + letters;
}

/* Of `both`. */
static inline int writer_line_is_error(unsigned number) {
  return number % 3 == 0;
}

#endif /* FLOWTAP_TESTS_WRITER_LINES_H */
