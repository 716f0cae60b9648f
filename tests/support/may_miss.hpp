// Tells whether a kernel may keep the log tap's programs from running, and what tests expect if it did.
#pragma once

#include <gtest/gtest.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace flowtap::test {

/// Whether this kernel may preempt the programs of both backends in every mode, and so may miss events: from 7.x on.
/// (Earlier kernels do not preempt programs at the tracepoint of system calls, and there are modes that preempt none.)
[[nodiscard]] inline bool may_miss() {
  utsname name{};
  return ::uname(&name) == 0 && std::atoi(static_cast<const char*>(name.release)) >= 7;
}

/// If the kernel did so, nine tenths of the bytes have still been captured, or all but those of one event. Reports how
/// often this was the excuse.
inline void expect_most(const std::string& of, std::size_t got, std::size_t written,
                        std::size_t one_event = 0) {
  static int times = 0;
  std::printf("[ EXCUSED  ] %zu of %zu bytes, %s; %d so far\n", got, written, of.c_str(), ++times);
  EXPECT_LE(got, written) << of;
  EXPECT_GE(got + std::max(written / 10, one_event), written) << of;
}

/// `part` without the lines that are missing, in the same order.
[[nodiscard]] inline bool is_part_of(const std::string& part, const std::string& whole) {
  std::size_t at = 0;
  for (const char c : whole)
    if (at < part.size() && part[at] == c) ++at;
  return at == part.size();
}

}  // namespace flowtap::test
