#include "quoted_printable.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <utility>

#include "base/ascii.hpp"

namespace flowtap::cli {
namespace {

constexpr std::size_t kLongestOfMail = 76;  // bytes of a line, by RFC 2045
constexpr std::size_t kMostOfOneLine = 4096;
// Each pair of klog's has it, and nobody else writes it before a quote.
constexpr std::string_view kQuotedSign = R"(=3D")";
constexpr std::string_view kEquals = "=3D";
constexpr std::string_view kHeader = "Content-Transfer-Encoding: quoted-printable";

std::string_view without_return(std::string_view line) {
  return line.substr(0, line.ends_with('\r') ? line.size() - 1 : line.size());
}

bool goes_on(std::string_view line) {
  line = without_return(line);
  return line.ends_with('=') && line.size() <= kLongestOfMail;
}

bool is_hex(char c) {
  return is_digit(c) || (c >= 'A' && c <= 'F');
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view code = text.substr(at + 1, 2);
    if (text[at] != '=' || code.size() < 2 || !std::ranges::all_of(code, is_hex)) {
      out += text[at];
      continue;
    }
    unsigned value = 0;
    std::from_chars(code.data(), code.data() + code.size(), value, 16);
    out += static_cast<char>(value);
    at += 2;
  }
  return out;
}

}  // namespace

void QuotedPrintable::add(std::string_view line, bool full, std::uint64_t time, const Take& take) {
  known_ = known_ || line.starts_with(kHeader);
  const bool more = full && goes_on(line);
  if (held_.empty() && !more && !known_ && !line.contains(kQuotedSign)) return take(line, full, time);
  if (held_.empty()) time_ = time;
  held_.emplace_back(line);
  full_ = full;
  if (!more || held_.size() >= kMostOfOneLine) give(take);
}

void QuotedPrintable::give(const Take& take) {
  const std::vector<std::string> lines = std::exchange(held_, {});
  std::string joined;
  for (const std::string& line : lines) {
    const std::string_view text = without_return(line);
    joined += text.substr(0, goes_on(line) && &line != &lines.back() ? text.size() - 1 : text.size());
  }
  known_ = known_ || joined.contains(lines.size() > 1 ? kEquals : kQuotedSign);
  if (known_ && !lines.empty()) return take(decoded(joined), full_, time_);
  for (const std::string& line : lines) take(line, full_ || &line != &lines.back(), time_);
}

}  // namespace flowtap::cli
