// The forms in which people have a log: each program that shows, collects or exports one writes something of its own
// around the lines.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace flowtap::test {

using LogTime = std::chrono::system_clock::time_point;

/// A record of a log, or what a form makes an entry of: a record's line, or all of the record.
struct LogEntry {
  LogTime time;
  std::string text;        ///< without its last newline
  std::size_t number = 0;  ///< of the entry in its log, from 1
  bool goes_on = false;    ///< a record's second line, or a later one
};

/// The bytes of a file that has these entries.
using LogWriter = std::function<std::string(const std::vector<LogEntry>&)>;

struct SavedForm {
  std::string name;
  LogWriter write;
  bool whole = false;  ///< an entry is a record with all its lines
  bool newest_first = false;
};

/// The records of a log of klog, text or JSON. They are of 2026 and of UTC. Throws if a text's time cannot be read.
[[nodiscard]] std::vector<LogEntry> klog_records(std::string_view log);

/// The file that has these records in this form. Outside of a record stands a time that is a little later than its own.
[[nodiscard]] std::string file_of(const SavedForm& form, const std::vector<LogEntry>& records);

/// What programs write before each line, and how they encode the text.
[[nodiscard]] std::vector<SavedForm> line_forms();
[[nodiscard]] std::vector<SavedForm> json_forms();
[[nodiscard]] std::vector<SavedForm> csv_forms();
/// What pages and editors show of each line, copied.
[[nodiscard]] std::vector<SavedForm> shown_forms();
/// All of these, and some with the newest entry first.
[[nodiscard]] std::vector<SavedForm> saved_forms();
/// The one of this name. Throws std::runtime_error if there is none.
[[nodiscard]] SavedForm saved_form(std::string_view name);

// For those who write forms.

/// "2026-11-26T10:00:00.100092", UTC and without a zone. `digits`: of the fraction, at most 9.
[[nodiscard]] std::string stamp(LogTime time, std::size_t digits, char between = 'T');
/// Since 1970; `unit`: in nanoseconds.
[[nodiscard]] std::string since_1970(LogTime time, std::size_t unit = 1);
/// "Nov 26".
[[nodiscard]] std::string month_and_day(LogTime time);

/// `line` makes a line of an entry; the newline is added.
[[nodiscard]] LogWriter each_entry(const std::function<std::string(const LogEntry&)>& line);
/// The same text before each entry.
[[nodiscard]] LogWriter behind(const std::string& prefix);

}  // namespace flowtap::test
