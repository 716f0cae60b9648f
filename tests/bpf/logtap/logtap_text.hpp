// What the tests of the log tap write, and how.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <fcntl.h>
#include <array>
#include <cerrno>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace flowtap::test {

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    out = Fd(ends[0]);
    in = Fd(ends[1]);
  }
  Fd out;  ///< the reading end
  Fd in;   ///< the writing end
};

inline void write_all(int fd, const char* bytes, std::size_t n) {
  for (std::size_t done = 0; done < n;) {
    const ssize_t now = ::write(fd, bytes + done, n - done);
    if (now > 0) {
      done += static_cast<std::size_t>(now);
    } else if (errno == EAGAIN) {
      pollfd ready{fd, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else {
      ADD_FAILURE() << errno_text(errno);
      return;
    }
  }
}

inline void write_all(int fd, const std::string& text) {
  write_all(fd, text.data(), text.size());
}

/// One write per line.
inline void write_lines(int fd, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    write_all(fd, text.data() + at, end - at);
    at = end;
  }
}

/// Reads all that comes, `size` bytes at a time.
inline std::string read_all(int fd, std::size_t size) {
  std::string text;
  std::string buffer(size, '\0');
  for (ssize_t n = 0; (n = ::read(fd, buffer.data(), buffer.size())) > 0;)
    text.append(buffer, 0, static_cast<std::size_t>(n));
  return text;
}

/// Bytes of all values; they are the same in every run.
inline std::string binary(std::size_t size) {
  std::string text(size, '\0');
  std::uint32_t x = 1;
  for (char& c : text) c = static_cast<char>((x = x * 1664525U + 1013904223U) >> 24U);
  return text;
}

inline std::string lines(int n, const std::string& name = "line") {
  std::string text;
  for (int i = 0; i < n; ++i)
    text.append(name).append(" ").append(std::to_string(i)).append(" of what a container says\n");
  return text;
}

}  // namespace flowtap::test
