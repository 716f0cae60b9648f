// How a record of klog (kubernetes/klog, component-base's logs/json) begins, and what its beginning says:
//   I0821 07:12:30.004211       1 filter.go:155] "final verdict" pod="ns/name" suitable=true
//   {"ts":1795224037015.234,"caller":"scheduler/schedule_one.go:99","msg":"final verdict","v":3,"pod":{...}}
// Every other line continues the record before it. Nothing is copied, and anything malformed is text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace flowtap::flow {

enum class KlogForm : std::uint8_t { kText, kJson };

/// klog's letter. JSON has none: see KlogRecord.
enum class KlogSeverity : char { kInfo = 'I', kWarning = 'W', kError = 'E', kFatal = 'F' };

/// Does not own its text.
struct KlogRecord {
  KlogForm form = KlogForm::kText;
  std::optional<KlogSeverity> severity;  ///< JSON: none; an error is a record without a member `v`
  std::string_view stamp;    ///< "0821 07:12:30.004211", local time; JSON: ms since 1970 as they stand
  std::string_view thread;   ///< digits; klog writes the process id here. JSON: none
  std::string_view source;   ///< "filter.go:155"; differs between builds of the same program
  std::string_view logger;   ///< JSON: "nrtcache.resync", empty if there is none. Text has it among its pairs
  std::string_view message;  ///< what its quotes hold, escapes as they stand; free text: its first line
  bool structured = false;   ///< pairs may follow the message
  std::string_view body;     ///< all that is behind the header; JSON: the whole object
  std::size_t pairs = 0;     ///< where in the body the pairs begin; JSON: the program's own members
};

/// The form of the record that a line begins; nothing: it begins none.
[[nodiscard]] std::optional<KlogForm> klog_form(std::string_view line);
[[nodiscard]] inline bool begins_klog_record(std::string_view line) {
  return klog_form(line).has_value();
}

/// A record, or the first lines of one; nothing if it does not begin as one.
[[nodiscard]] std::optional<KlogRecord> parse_klog_record(std::string_view text);
/// Parses a text that begins a record of this form, as klog_form() has found.
[[nodiscard]] KlogRecord parse_klog_record(KlogForm form, std::string_view text);

}  // namespace flowtap::flow
