// Processes whose first thread ends before the others.
#pragma once

#include <fstream>
#include <string>

namespace flowtap::test {

/// Whether the first thread of this process (its number, or "self") has ended while others go on, or nobody has waited for it yet.
[[nodiscard]] inline bool first_thread_has_ended(const std::string& process) {
  std::string text;
  std::getline(std::ifstream("/proc/" + process + "/stat"), text);
  return text.find(") Z ") != std::string::npos;
}

}  // namespace flowtap::test
