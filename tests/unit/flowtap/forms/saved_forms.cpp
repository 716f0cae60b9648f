#include "tests/unit/flowtap/forms/saved_forms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cmath>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "base/rfc3339.hpp"

namespace flowtap::test {
namespace {

constexpr std::string_view kYear = "2026";

// A line that begins with klog's letter and date, or an object. All others continue a record.
bool begins_record(std::string_view line) {
  constexpr std::size_t kDigits = 4;
  if (line.starts_with('{')) return true;
  return line.size() > kDigits && std::string_view("IWEF").contains(line[0]) &&
         line.substr(1, kDigits).find_first_not_of("0123456789") == std::string_view::npos;
}

// "I1126 10:00:00.100001 ...", or {"ts":1795687200100.001,...}.
LogTime time_of(const std::string& line) {
  if (line.starts_with('{')) {
    const double milliseconds = boost::json::parse(line).at("ts").to_number<double>();
    return LogTime(std::chrono::microseconds(std::llround(milliseconds * 1000)));
  }
  return parse_rfc3339(
             fmt::format("{}-{}-{}T{}Z", kYear, line.substr(1, 2), line.substr(3, 2), line.substr(6, 15)))
      .value();
}

// Divided into its lines, unless the form takes records as they are.
std::vector<LogEntry> entries_of(const std::vector<LogEntry>& records, bool whole) {
  static constexpr std::chrono::microseconds kLater{91};
  std::vector<LogEntry> out;
  const auto add = [&out](const LogEntry& record, const std::string& text, bool goes_on) {
    const std::chrono::nanoseconds later = kLater + std::chrono::nanoseconds(out.size() + 1);
    out.push_back({record.time + later, text, out.size() + 1, goes_on});
  };
  for (const LogEntry& record : records) {
    if (whole) {
      add(record, record.text, false);
      continue;
    }
    std::istringstream lines(record.text);
    bool goes_on = false;
    for (std::string line; std::getline(lines, line); goes_on = true) add(record, line, goes_on);
  }
  return out;
}

const SavedForm& named(const std::vector<SavedForm>& forms, std::string_view name) {
  const auto found = std::ranges::find(forms, name, &SavedForm::name);
  if (found == forms.end()) throw std::runtime_error("no form " + std::string(name));
  return *found;
}

SavedForm newest_first(SavedForm form) {
  form.name += ", newest first";
  form.newest_first = true;
  return form;
}

}  // namespace

std::vector<LogEntry> klog_records(std::string_view log) {
  std::vector<LogEntry> records;
  std::istringstream lines{std::string(log)};
  for (std::string line; std::getline(lines, line);) {
    if (begins_record(line))
      records.push_back({time_of(line), line});
    else
      records.at(records.size() - 1).text += '\n' + line;
  }
  return records;
}

std::string file_of(const SavedForm& form, const std::vector<LogEntry>& records) {
  std::vector<LogEntry> entries = entries_of(records, form.whole);
  if (form.newest_first) std::ranges::reverse(entries);
  return form.write(entries);
}

std::vector<SavedForm> saved_forms() {
  std::vector<SavedForm> forms = line_forms();
  std::ranges::move(json_forms(), std::back_inserter(forms));
  std::ranges::move(csv_forms(), std::back_inserter(forms));
  std::ranges::move(shown_forms(), std::back_inserter(forms));
  for (const char* const name :
       {"plain", "journalctl short", "journalctl json", "kubectl logs --timestamps", "docker json-file",
        "Fluent Bit, log first", "Fluent Bit, whole records", "Loki API, compact", "Loki API, pretty",
        "logcli", "Grafana CSV", "CloudWatch Insights CSV", "Splunk CSV", "CSV, whole records",
        "Grafana CSV, few quotes", "tabs, quotes for commas"})
    forms.push_back(newest_first(named(forms, name)));
  return forms;
}

SavedForm saved_form(std::string_view name) {
  return named(saved_forms(), name);
}

std::string stamp(LogTime time, std::size_t digits, char between) {
  constexpr std::size_t kDay = 10;
  constexpr std::size_t kSeconds = 19;
  std::string text = rfc3339_nano(time);
  text[kDay] = between;
  return text.substr(0, digits == 0 ? kSeconds : kSeconds + 1 + digits);
}

std::string since_1970(LogTime time, std::size_t unit) {
  const auto nanoseconds = static_cast<std::size_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count());
  return std::to_string(nanoseconds / unit);
}

std::string month_and_day(LogTime time) {
  static constexpr std::array kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(time));
  return fmt::format("{} {:>2}", kMonths.at(static_cast<unsigned>(day.month()) - 1),
                     static_cast<unsigned>(day.day()));
}

LogWriter each_entry(const std::function<std::string(const LogEntry&)>& line) {
  return [line](const std::vector<LogEntry>& entries) {
    std::string out;
    for (const LogEntry& entry : entries) out += line(entry) + '\n';
    return out;
  };
}

LogWriter behind(const std::string& prefix) {
  return each_entry([prefix](const LogEntry& entry) { return prefix + entry.text; });
}

}  // namespace flowtap::test
