#include "quoted_printable.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <utility>

#include "base/ascii.hpp"
#include "base/trimmed.hpp"
#include "stream/lines/klog/klog_record.hpp"
#include "tools/flowtap/saved/unwrap/enclosed_record.hpp"

namespace flowtap::cli {
namespace {

constexpr std::size_t kLongestOfMail = 76;  // bytes of a line, by RFC 2045
constexpr std::size_t kMostOfOneLine = 4096;
constexpr std::size_t kCode = 3;  // bytes
constexpr std::string_view kHeader = "content-transfer-encoding:";
constexpr std::string_view kEncoding = "quoted-printable";

std::string_view without_return(std::string_view line) {
  return line.substr(0, line.ends_with('\r') ? line.size() - 1 : line.size());
}

bool goes_on(std::string_view line) {
  line = without_return(line);
  return line.ends_with('=') && line.size() <= kLongestOfMail;
}

// RFC 2045 has capital letters, and asks readers to take others as well.
bool is_hex(char c) {
  return is_lower_hex(to_lower(c));
}

bool is_code(std::string_view text) {
  return text.size() >= kCode && text[0] == '=' && is_hex(text[1]) && is_hex(text[2]);
}

char decoded_code(std::string_view code) {
  unsigned value = 0;
  std::from_chars(code.data() + 1, code.data() + kCode, value, 16);
  return static_cast<char>(value);
}

bool is_equals_sign(std::string_view text) {
  return is_code(text) && decoded_code(text) == '=';
}

bool has_equals_sign(std::string_view text) {
  for (std::size_t at = text.find('='); at != std::string_view::npos; at = text.find('=', at + 1))
    if (is_equals_sign(text.substr(at))) return true;
  return false;
}

// All that such a mail may have. klog itself writes `="` in each record that has a text among its pairs.
bool is_quoted_printable(std::string_view text) {
  for (std::size_t at = text.find('='); at != std::string_view::npos; at = text.find('=', at + 1))
    if (!is_code(text.substr(at))) return false;
  return true;
}

bool equals_without_case(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower, {}, to_lower);
}

// What divides a mail's parts, or the mails of a mailbox.
bool is_boundary(std::string_view line) {
  constexpr std::string_view kDashes = "--";
  const bool is_ruler = line.find_first_not_of('-') == std::string_view::npos;
  const bool dashes = line.starts_with(kDashes) && !is_ruler && !line.contains(' ') && !has_equals_sign(line);
  return dashes || line.starts_with("From ");
}

// Whether the record's first pair has a code in the place of klog's "=", before a value as klog writes it.
bool has_encoded_pair(std::string_view line) {
  const auto found = find_record(line);
  if (!found || found->form != flow::KlogForm::kText) return false;
  const flow::KlogRecord record = flow::parse_klog_record(found->form, line.substr(found->at));
  if (!record.structured) return false;
  const std::string_view pairs = record.body.substr(record.pairs);
  const std::size_t sign = std::min(pairs.find('='), pairs.size());
  if (pairs.substr(0, sign).contains('"') || !is_equals_sign(pairs.substr(sign))) return false;
  const std::string_view value = pairs.substr(sign + kCode);
  return value.empty() || std::string_view("\"<{[").contains(value.front()) || has_equals_sign(value);
}

// `newlines`: those that are encoded, too.
std::string decoded(std::string_view text, bool newlines) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    const char c = is_code(rest) ? decoded_code(rest) : '\0';
    const bool last = rest.size() == kCode;
    // A record may begin only at the beginning of a line of the file, unless the file says that it is a mail.
    const bool stays = !is_code(rest) || (!newlines && (c == '\n' || (c == '\r' && !last)));
    out += stays ? rest.front() : c;
    at += stays ? 0 : kCode - 1;
  }
  return out;
}

}  // namespace

void QuotedPrintable::look_for_header(std::string_view line) {
  line = without_return(line);
  if (equals_without_case(line.substr(0, kHeader.size()), kHeader))
    said_ = known_ = equals_without_case(trimmed(line.substr(kHeader.size())), kEncoding);
  else if (is_boundary(line))
    said_ = known_ = false;
}

void QuotedPrintable::add(std::string_view line, bool full, std::uint64_t time, const Take& take) {
  const bool more = full && goes_on(line);
  if (held_.empty()) {
    look_for_header(line);
    if (!more && !(known_ ? line.contains('=') : has_equals_sign(line))) return take(line, full, time);
    time_ = time;
  }
  held_.emplace_back(line);
  full_ = full;
  if (!more || held_.size() >= kMostOfOneLine) give(take);
}

void QuotedPrintable::take_decoded(std::string_view encoded, const Take& take) const {
  const std::string all = decoded(encoded, said_);
  std::string_view rest = all;
  for (std::size_t end = 0; (end = rest.find('\n')) != std::string_view::npos; rest.remove_prefix(end + 1))
    take(rest.substr(0, end), true, time_);
  // A mail that encodes its newlines has one at the end of each piece.
  if (!rest.empty() || all.empty()) take(rest, full_, time_);
}

void QuotedPrintable::give(const Take& take) {
  const std::vector<std::string> lines = std::exchange(held_, {});
  if (lines.empty()) return;
  std::string joined;
  for (const std::string& line : lines) {
    const std::string_view text = without_return(line);
    joined += text.substr(0, goes_on(line) ? text.size() - 1 : text.size());
  }
  const bool encoded = is_quoted_printable(joined);
  const bool broken = lines.size() > 1 && has_equals_sign(joined) && find_record(lines.front());
  if (encoded && !known_) known_ = broken || has_encoded_pair(joined);
  if (encoded && known_) return take_decoded(joined, take);
  // What follows the mail is another log.
  if (find_record(joined)) said_ = known_ = false;
  for (const std::string& line : lines) take(line, full_ || &line != &lines.back(), time_);
}

}  // namespace flowtap::cli
