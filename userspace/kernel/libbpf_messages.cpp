#include "kernel/libbpf_messages.hpp"

#include <bpf/libbpf.h>

#include <algorithm>
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

// Whether this thread collects.
bool& collecting() {
  thread_local bool on = false;
  return on;
}

int collect(libbpf_print_level level, const char* format, va_list args) noexcept {
  if (level == LIBBPF_DEBUG || !collecting()) return 0;
  va_list again;
  va_copy(again, args);
  const int n = std::vsnprintf(nullptr, 0, format, args);
  std::string& text = buffer();
  const std::size_t before = text.size();
  if (n > 0) {
    // A verifier's log comes as one message, and its verdict stands at the end.
    text.resize(before + static_cast<std::size_t>(n));
    std::vsnprintf(text.data() + before, static_cast<std::size_t>(n) + 1, format, again);
  }
  va_end(again);
  if (text.size() > kKeep) text.erase(0, text.size() - kKeep);
  return 0;
}

// NAME in "libbpf: prog 'NAME': failed to load: -13", which libbpf says after the verifier's log.
std::string_view failed_program(std::string_view line) {
  constexpr std::string_view kBegin = "libbpf: prog '";
  const auto end = line.find("': failed to load: ");
  if (!line.starts_with(kBegin) || end == std::string_view::npos || end < kBegin.size()) return {};
  return line.substr(kBegin.size(), end - kBegin.size());
}

// What the verifier prints after its verdict: statistics, and the states of an endless loop.
bool is_behind_verdict(std::string_view line) {
  return line.starts_with("processed ") || line.starts_with("verification time") ||
         line.starts_with("stack depth") || line.starts_with("cur state:") || line.starts_with("old state:");
}

}  // namespace

LibbpfMessages::LibbpfMessages() {
  // libbpf has one print function for all threads, so it is set for good: setting it back would cut other threads off.
  static const libbpf_print_fn_t kBefore = libbpf_set_print(collect);
  (void)kBefore;
  buffer().clear();
  collecting() = true;
}

LibbpfMessages::~LibbpfMessages() {
  collecting() = false;
}

const std::string& LibbpfMessages::text() {
  return buffer();
}

Refusal LibbpfMessages::refusal() {
  std::string_view rest = buffer();
  std::string_view first;
  std::string_view verdict;
  std::string_view last;  // last line of the log that may be a verdict
  // Only the end of a log that was too long is kept.
  bool in_log = rest.find("END PROG LOAD LOG") < rest.find("BEGIN PROG LOAD LOG");
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.find("BEGIN PROG LOAD LOG") != std::string_view::npos) {
      in_log = true;
      last = {};
    } else if (in_log && line.starts_with("Verification failed: ")) {
      in_log = false;  // kernels >= 7 explain the verdict on many lines behind it
      verdict = last;
    } else if (line.find("END PROG LOAD LOG") != std::string_view::npos) {
      if (verdict.empty()) verdict = last;
      in_log = false;
    } else if (in_log && !line.empty() && !is_behind_verdict(line)) {
      last = line;
    } else if (const auto program = failed_program(line); !verdict.empty() && !program.empty()) {
      return {std::string(verdict), std::string(program)};
    } else if (!in_log && first.empty() && line.starts_with("libbpf: ")) {
      first = line.substr(8);
    }
  }
  return {std::string(verdict.empty() ? first : verdict), {}};
}

}  // namespace flowtap::kernel
