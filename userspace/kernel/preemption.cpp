#include "kernel/preemption.hpp"

#include <sys/utsname.h>

#include "base/file.hpp"

namespace flowtap::kernel {
namespace {

std::optional<std::string> in_parentheses(std::string_view text) {
  const auto begin = text.find('(');
  const auto end = text.find(')', begin == std::string_view::npos ? 0 : begin);
  if (begin == std::string_view::npos || end == std::string_view::npos) return std::nullopt;
  return std::string(text.substr(begin + 1, end - begin - 1));
}

}  // namespace

std::optional<std::string> preemption_mode(const std::string& root, std::string_view version) {
  if (const auto line = read_line(root + "/sys/kernel/debug/sched/preempt"))
    if (auto mode = in_parentheses(*line)) return mode;
  if (version.find("PREEMPT") == std::string_view::npos) return "voluntary";
  return std::nullopt;
}

std::optional<std::string> preemption_mode(const std::string& root) {
  utsname name{};
  return preemption_mode(root, ::uname(&name) == 0 ? static_cast<const char*>(name.version) : "PREEMPT");
}

bool may_preempt(const std::optional<std::string>& mode) {
  return mode != "none" && mode != "voluntary";
}

}  // namespace flowtap::kernel
