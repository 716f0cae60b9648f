#include "kernel/libbpf_messages.hpp"

#include <bpf/libbpf.h>

#include <array>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <string_view>

namespace flowtap::kernel {
namespace {

constexpr std::size_t kKeep = 64UL << 10U;

std::string& buffer() {
  thread_local std::string text;
  return text;
}

int collect(libbpf_print_level level, const char* format, va_list args) noexcept {
  if (level == LIBBPF_DEBUG) return 0;
  std::array<char, 8192> line{};
  const int n = std::vsnprintf(line.data(), line.size(), format, args);
  if (n <= 0) return 0;
  std::string& text = buffer();
  text += line.data();
  if (text.size() > kKeep) text.erase(0, text.size() - kKeep);
  return 0;
}

// The statistics that the verifier prints behind its verdict.
bool is_statistics(std::string_view line) {
  return line.starts_with("processed ") || line.starts_with("verification time") ||
         line.starts_with("stack depth");
}

}  // namespace

LibbpfMessages::LibbpfMessages() {
  buffer().clear();
  libbpf_set_print(collect);
}

LibbpfMessages::~LibbpfMessages() {
  libbpf_set_print(nullptr);
}

const std::string& LibbpfMessages::text() {
  return buffer();
}

std::string LibbpfMessages::reason() {
  std::string_view rest = buffer();
  std::string_view first;
  std::string_view verdict;
  bool in_log = false;
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.find("BEGIN PROG LOAD LOG") != std::string_view::npos) {
      in_log = true;
    } else if (line.find("END PROG LOAD LOG") != std::string_view::npos) {
      if (!verdict.empty()) return std::string(verdict);
      in_log = false;
    } else if (in_log && !line.empty() && !is_statistics(line)) {
      verdict = line;
    } else if (!in_log && first.empty() && line.starts_with("libbpf: ")) {
      first = line.substr(8);
    }
  }
  return std::string(first);
}

}  // namespace flowtap::kernel
