// Runs the program through a shell, like a user.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

#include "tests/support/paths/paths.hpp"

namespace flowtap {

struct Outcome {
  int exit = -1;
  std::string output;  ///< standard output and error
};

/// The output and the exit code of a shell line.
inline Outcome shell(const std::string& line) {
  Outcome run;
  FILE* pipe = ::popen(line.c_str(), "r");
  if (pipe == nullptr) return run;
  std::array<char, 4096> chunk{};
  while (const std::size_t n = std::fread(chunk.data(), 1, chunk.size(), pipe))
    run.output.append(chunk.data(), n);
  const int status = ::pclose(pipe);
  run.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return run;
}

inline Outcome flowtap_program(const std::string& arguments) {
  return shell(paths::flowtap() + " " + arguments + " 2>&1");
}

}  // namespace flowtap
