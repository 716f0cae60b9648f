// The forms in which runtimes keep bytes that they do not keep as they were written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace flowtap::flow {

/// U+FFFD, which Docker writes for each byte that is not UTF-8.
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

[[nodiscard]] inline std::string with_carriage_returns(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  for (const char c : text) out.append(c == '\n' ? 1 : 0, '\r').append(1, c);
  return out;
}

/// The text as containerd keeps it, which is in front of a gap, or goes on elsewhere. The byte behind a "\r" at the end is not known,
/// and is a newline more often than not.
[[nodiscard]] inline std::string as_containerd_keeps(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] != '\r' || (i + 1 < text.size() && text[i + 1] != '\n')) out += text[i];
  return out;
}

/// One output's text without the "\r" before its newlines, however many there are. It is the same whether a runtime drops one of them
/// or none.
class WithoutReturns {
 public:
  /// Appends a line, or a part of one. "\r" at the end of a part wait for what comes.
  void add(std::string& out, std::string_view text, bool full) {
    const std::size_t last = text.find_last_not_of('\r');
    const std::size_t size = last == std::string_view::npos ? 0 : last + 1;
    if (size > 0) out.append(std::exchange(waiting_, 0), '\r').append(text.substr(0, size));
    waiting_ = full ? 0 : waiting_ + text.size() - size;
    out.append(full ? 1 : 0, '\n');
  }
  /// How many "\r" wait that do not stand before a newline if this comes.
  [[nodiscard]] std::size_t kept_before(std::string_view next) const {
    const std::size_t at = next.find_first_not_of('\r');
    return at == std::string_view::npos || next[at] == '\n' ? 0 : waiting_;
  }

 private:
  std::size_t waiting_ = 0;
};

/// The bytes in front of the first one that is not ASCII. They are the same in every form.
[[nodiscard]] inline std::string_view ascii_prefix(std::string_view text) {
  const auto other =
      std::ranges::find_if(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80U; });
  return text.substr(0, static_cast<std::size_t>(other - text.begin()));
}

}  // namespace flowtap::flow
