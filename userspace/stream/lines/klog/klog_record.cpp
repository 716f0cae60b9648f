#include "stream/lines/klog/klog_record.hpp"

#include "base/ascii.hpp"
#include "stream/lines/klog/klog_pairs.hpp"

namespace flowtap::flow {
namespace {

// "I0821 07:12:30.004211 ": each 0 stands for a digit, all else as it stands.
constexpr std::string_view kHeader = "?0000 00:00:00.000000 ";
constexpr std::size_t kStamp = 20;
// zapr writes the time first (component-base logs/json/json.go).
constexpr std::string_view kJsonStart = R"({"ts":)";

bool has_header(std::string_view line) {
  if (line.size() < kHeader.size()) return false;
  if (line[0] != 'I' && line[0] != 'W' && line[0] != 'E' && line[0] != 'F') return false;
  for (std::size_t i = 1; i < kHeader.size(); ++i)
    if (kHeader[i] == '0' ? !is_digit(line[i]) : line[i] != kHeader[i]) return false;
  return true;
}

bool has_json_start(std::string_view line) {
  return line.size() > kJsonStart.size() && line.starts_with(kJsonStart) && is_digit(line[kJsonStart.size()]);
}

// "      1 filter.go:155] "; without it, all of the rest is the body.
std::size_t body_start(std::string_view text, KlogRecord& record) {
  std::size_t at = kHeader.size();
  while (at < text.size() && text[at] == ' ') ++at;
  const std::size_t thread = at;
  while (at < text.size() && is_digit(text[at])) ++at;
  if (at == thread || at >= text.size() || text[at] != ' ') return kHeader.size();
  const std::size_t end = find_any<']', '\n'>(text, at);
  if (end == std::string_view::npos || text[end] != ']') return kHeader.size();
  record.thread = text.substr(thread, at - thread);
  record.source = text.substr(at + 1, end - at - 1);
  return end + 1 < text.size() && text[end + 1] == ' ' ? end + 2 : end + 1;
}

KlogRecord parse_text(std::string_view text) {
  KlogRecord record;
  record.severity = static_cast<KlogSeverity>(text[0]);
  record.stamp = text.substr(1, kStamp);
  record.body = text.substr(body_start(text, record));
  const std::string_view line = record.body.substr(0, record.body.find('\n'));
  const bool quoted = line.starts_with('"');
  const std::size_t end = quoted ? end_of_quoted(line, 1) : std::string_view::npos;
  if (end == std::string_view::npos) {
    record.message = line.substr(quoted ? 1 : 0);
    // A message whose quote has not come may have been cut with its line.
    record.structured = quoted && line.size() == record.body.size();
    record.pairs = record.body.size();
  } else {
    record.message = line.substr(1, end - 2);
    record.structured = true;
    record.pairs = end;
  }
  return record;
}

KlogRecord parse_json(std::string_view text) {
  KlogRecord record;
  record.form = KlogForm::kJson;
  record.structured = true;
  record.body = text;
  KlogPairs members(KlogForm::kJson, text, 0);
  // The program's own members follow these, and may have any keys.
  for (KlogPair member; record.message.data() == nullptr && members.next(member);) {
    if (member.key == "ts")
      record.stamp = member.value;
    else if (member.key == "caller")
      record.source = member.value;
    else if (member.key == "msg")
      record.message = member.value;
    else if (member.key == "logger")
      record.logger = member.value;
    else
      return record;
    record.pairs = members.at();
  }
  return record;
}

}  // namespace

std::optional<KlogForm> klog_form(std::string_view line) {
  if (has_header(line)) return KlogForm::kText;
  if (has_json_start(line)) return KlogForm::kJson;
  return std::nullopt;
}

std::optional<KlogRecord> parse_klog_record(std::string_view text) {
  const auto form = klog_form(text);
  return form ? std::optional(parse_klog_record(*form, text)) : std::nullopt;
}

KlogRecord parse_klog_record(KlogForm form, std::string_view text) {
  return form == KlogForm::kText ? parse_text(text) : parse_json(text);
}

}  // namespace flowtap::flow
