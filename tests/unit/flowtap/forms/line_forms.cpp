// What programs write before each line, and how they encode the text.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <iterator>
#include <utility>

#include "tests/unit/flowtap/forms/saved_forms.hpp"

namespace flowtap::test {
namespace {

using Entries = std::vector<LogEntry>;

constexpr std::string_view kUnit = "cp1 kube-scheduler[1234]: ";
constexpr std::string_view kPod = "[pod/kube-scheduler-cp1/kube-scheduler] ";
constexpr std::string_view kColor = "\x1b[36m";
constexpr std::string_view kColorEnd = "\x1b[0m";
constexpr std::size_t kMicrosecond = 1000;

std::string clock_of(const LogEntry& entry) {
  return stamp(entry.time, 0).substr(11);
}
std::string nano(const LogEntry& entry) {
  return stamp(entry.time, 9) + 'Z';
}
std::string syslog_time(const LogEntry& entry) {
  return month_and_day(entry.time) + ' ' + clock_of(entry);
}
std::string unix_time(const LogEntry& entry) {
  return since_1970(entry.time, 1'000'000'000) + stamp(entry.time, 6).substr(19);
}
// As daemontools counts, 10 s ahead of UTC.
std::string tai64n(const LogEntry& entry) {
  constexpr std::uint64_t kEpoch = (std::uint64_t{1} << 62U) + 10;
  const auto since = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(entry.time.time_since_epoch()).count());
  return fmt::format("@{:016x}{:08x}", kEpoch + since / 1'000'000'000, since % 1'000'000'000);
}
std::string weekday_and_time(const LogEntry& entry, std::size_t digits) {
  static constexpr std::array kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  const std::chrono::weekday day(std::chrono::floor<std::chrono::days>(entry.time));
  return fmt::format("{} {} UTC", kDays.at(day.c_encoding()), stamp(entry.time, digits, ' '));
}

/// `prefix` is a function of the entry.
template <typename Prefix>
LogWriter after(const Prefix& prefix) {
  return each_entry([prefix](const LogEntry& entry) { return prefix(entry) + entry.text; });
}

LogWriter between(const std::string& first, const std::string& last) {
  return each_entry([first, last](const LogEntry& entry) { return first + entry.text + last; });
}

LogWriter utf16(bool mark, bool big_endian) {
  return [mark, big_endian](const Entries& entries) {
    const std::string text = (mark ? "\xff" : "") + behind("")(entries);
    std::string out;
    for (const char c : text) {
      const char high = c == '\xff' ? '\xfe' : '\0';  // of the mark, U+FEFF, and of ASCII
      out.append(1, big_endian ? high : c).append(1, big_endian ? c : high);
    }
    return out;
  };
}

std::string in_json_quotes(const LogEntry& entry) {
  return boost::json::serialize(boost::json::string_view(entry.text));
}

// A record's part that colourisers paint: what is before the message, or an object's first member.
std::string coloured_header(const LogEntry& entry) {
  if (entry.goes_on) return entry.text;
  const std::size_t end = entry.text.find(entry.text.starts_with('{') ? ',' : ']') + 1;
  return fmt::format("\x1b[32m{}{}{}", entry.text.substr(0, end), kColorEnd, entry.text.substr(end));
}

// A colour begins at each word and each text in quotes, but none within quotes.
std::string coloured_fields(const LogEntry& entry) {
  std::string out;
  bool quoted = false;
  char before = ' ';
  for (const char c : entry.text) {
    const bool quote = c == '"' && before != '\\';
    if (!quoted && (quote || (before == ' ' && c != ' '))) out += "\x1b[1;33m";
    out += c;
    if (quote) quoted = !quoted;
    if (quote && !quoted) out += kColorEnd;
    before = c;
  }
  return out + "\x1b[m";
}

// As grep --color shows what it was asked for.
std::string with_matches(const LogEntry& entry) {
  static constexpr std::string_view kMatch = "pod";
  std::string out = entry.text;
  const std::string shown = fmt::format("\x1b[01;31m\x1b[K{}\x1b[m\x1b[K", kMatch);
  for (std::size_t at = 0; (at = out.find(kMatch, at)) != std::string::npos; at += shown.size())
    out.replace(at, kMatch.size(), shown);
  return out;
}

using Stands = std::pair<std::string_view, std::string_view>;

// What a page or an office program makes of a line's characters.
LogWriter with_characters(const std::vector<Stands>& table) {
  return each_entry([table](const LogEntry& entry) {
    std::string out = entry.text;
    for (const auto& [text, by] : table)
      for (std::size_t at = 0; (at = out.find(text, at)) != std::string::npos; at += by.size())
        out.replace(at, text.size(), by);
    return out;
  });
}

std::string typographic(const LogEntry& entry) {
  std::string out;
  bool opens = true;
  for (const char c : entry.text) {
    if (c == '"')
      out += std::exchange(opens, !opens) ? "\xe2\x80\x9c" : "\xe2\x80\x9d";
    else
      out += c;
  }
  return out;
}

// A runtime divides long lines: all parts but the last have a P.
std::string cri_line(const LogEntry& entry, std::size_t most) {
  std::string out;
  std::string rest = entry.text;
  for (; rest.size() > most; rest.erase(0, most))
    out += fmt::format("{} stderr P {}\n", nano(entry), rest.substr(0, most));
  return out + fmt::format("{} stderr F {}", nano(entry), rest);
}

std::string cri_whole(const LogEntry& entry) {
  return cri_line(entry, std::string::npos - 1);
}

std::vector<SavedForm> text_forms() {
  return {
      {"plain", behind("")},
      {"CRLF", between("", "\r")},
      {"UTF-8 with a mark", [](const Entries& entries) { return "\xef\xbb\xbf" + behind("")(entries); }},
      {"UTF-16 LE", utf16(true, false)},
      {"UTF-16 BE", utf16(true, true)},
      {"UTF-16 LE without a mark", utf16(false, false)},
      {"indented by spaces", behind("    ")},
      {"indented by a tab", behind("\t")},
      {"a terminal's copy, with blanks for tabs", with_characters({{"\t", "        "}})},
      {"a blank for each tab", with_characters({{"\t", " "}})},
      {"without the blank before a line",
       each_entry([](const LogEntry& e) { return e.text.substr(e.goes_on && !e.text.empty() ? 1 : 0); })},
      {"quoted as in a mail", behind("> ")},
      {"in double quotes", each_entry(in_json_quotes)},
      {"whole records in double quotes", each_entry(in_json_quotes), true},
      {"in single quotes", between("'", "'")},
      {"in backticks", between("`", "`")},
      {"coloured", between(std::string(kColor), std::string(kColorEnd))},
      {"coloured, and reset by tput", between("\x1b[36m", "\x1b(B\x1b[m")},
      {"reset by tput before each line", behind("\x1b(B\x1b[m")},
      {"spaces that do not break", with_characters({{" ", "\xc2\xa0"}})},
      {"every second space does not break", with_characters({{"  ", " \xc2\xa0"}})},
      {"a tab behind the time", with_characters({{"       1 ", "\t1 "}})},
      {"tabs between the pairs", with_characters({{"\" pod=", "\"\tpod="}, {"\" err=", "\"\terr="}})},
      {"HTML", with_characters({{"&", "&amp;"}, {"\"", "&quot;"}, {"<", "&lt;"}, {">", "&gt;"}})},
      {"HTML with numbers", with_characters({{"&", "&amp;"}, {"\"", "&#34;"}, {"'", "&#39;"}})},
      {"typographic quotes", each_entry(typographic)},
      {"header coloured", each_entry(coloured_header)},
      {"fields coloured", each_entry(coloured_fields)},
      {"grep --color", each_entry(with_matches)},
      {"grep --color -n", each_entry([](const LogEntry& e) {
         return fmt::format("\x1b[32m\x1b[K{}\x1b[m\x1b[K\x1b[36m\x1b[K:\x1b[m\x1b[K{}", e.number,
                            with_matches(e));
       })},
      {"grep -n", after([](const LogEntry& e) { return fmt::format("{}:", e.number); })},
      {"grep -n -A",
       after([](const LogEntry& e) { return fmt::format("{}{}", e.number, e.goes_on ? '-' : ':'); })},
      {"grep -H -n",
       after([](const LogEntry& e) { return fmt::format("kube-scheduler.log:{}:", e.number); })},
      {"ripgrep with columns",
       after([](const LogEntry& e) { return fmt::format("logs/sched.log:{}:1:", e.number); })},
      {"cat -n", after([](const LogEntry& e) { return fmt::format("{:>6}\t", e.number); })},
      {"nl", after([](const LogEntry& e) { return fmt::format("{:>4}: ", e.number); })},
      {"ts", after([](const LogEntry& e) { return syslog_time(e) + ' '; })},
      {"ts with fractions", after([](const LogEntry& e) { return unix_time(e) + ' '; })},
  };
}

std::vector<SavedForm> journal_forms() {
  return {
      {"journalctl short",
       after([](const LogEntry& e) { return fmt::format("{} {}", syslog_time(e), kUnit); })},
      {"journalctl short-iso",
       after([](const LogEntry& e) { return fmt::format("{}+00:00 {}", stamp(e.time, 0), kUnit); })},
      {"journalctl short, with records of several lines", each_entry([](const LogEntry& e) {
         const std::string before = fmt::format("{} {}", syslog_time(e), kUnit);
         return (e.goes_on ? std::string(before.size(), ' ') : before) + e.text;
       })},
      {"journalctl short-iso of an older systemd",
       after([](const LogEntry& e) { return fmt::format("{}+0000 {}", stamp(e.time, 0), kUnit); })},
      {"journalctl short-precise", after([](const LogEntry& e) {
         return fmt::format("{}{} {}", syslog_time(e), stamp(e.time, 6).substr(19), kUnit);
       })},
      {"journalctl short-unix",
       after([](const LogEntry& e) { return fmt::format("{} {}", unix_time(e), kUnit); })},
      {"journalctl with-unit", after([](const LogEntry& e) {
         return weekday_and_time(e, 0) + " cp1 kube-scheduler.service[1234]: ";
       })},
      {"journalctl cat", behind("")},
      {"logfmt of another program", each_entry([](const LogEntry& e) {
         return fmt::format("time={} level=info msg={}", nano(e), in_json_quotes(e));
       })},
      {"journalctl verbose", each_entry([](const LogEntry& e) {
         return fmt::format(
             "{} [s=3a5c;i={:x};b=9f02;m=5d1;t=62f1;x=77aa]\n    PRIORITY=6\n    _TRANSPORT=stdout\n"
             "    _HOSTNAME=cp1\n    SYSLOG_IDENTIFIER=kube-scheduler\n    MESSAGE={}\n    _PID=1234",
             weekday_and_time(e, 6), e.number, e.text);
       })},
      {"journalctl export", each_entry([](const LogEntry& e) {
         return fmt::format(
             "__CURSOR=s=3a5c;i={:x};b=9f02\n__REALTIME_TIMESTAMP={}\n__MONOTONIC_TIMESTAMP=9731\nPRIORITY="
             "6\n"
             "_HOSTNAME=cp1\nMESSAGE={}\n_PID=1234\n",
             e.number, since_1970(e.time, kMicrosecond), e.text);
       })},
      {"syslog, RFC 3164",
       after([](const LogEntry& e) { return fmt::format("<14>{} {}", syslog_time(e), kUnit); })},
      {"logger -s", after([](const LogEntry& e) { return fmt::format("<13>{} root: ", syslog_time(e)); })},
      {"TAI64N", after([](const LogEntry& e) { return tai64n(e) + ' '; })},
      {"syslog, RFC 5424", after([](const LogEntry& e) {
         return fmt::format("<14>1 {}Z cp1 kube-scheduler 1234 - - ", stamp(e.time, 6));
       })},
      {"syslog, RFC 5424 with data", after([](const LogEntry& e) {
         return fmt::format("<14>1 {}Z cp1 kube-scheduler 1234 ID1 [meta sequenceId=\"{}\"] ",
                            stamp(e.time, 6), e.number);
       })},
  };
}

std::vector<SavedForm> container_forms() {
  const std::string stern = "\x1b[96mkube-scheduler-cp1\x1b[0m \x1b[36mkube-scheduler\x1b[0m ";
  const auto at_nano = [](const std::string& prefix) {
    return after([prefix](const LogEntry& e) { return prefix + nano(e) + ' '; });
  };
  return {
      {"kubectl logs --prefix", behind(std::string(kPod))},
      {"kubectl logs --timestamps", at_nano("")},
      {"kubectl logs --prefix --timestamps", at_nano(std::string(kPod))},
      {"stern", behind("kube-scheduler-cp1 kube-scheduler ")},
      {"stern of all namespaces", behind("kube-system kube-scheduler-cp1 kube-scheduler ")},
      {"stern --timestamps", at_nano("kube-scheduler-cp1 kube-scheduler ")},
      {"stern raw", behind("")},
      {"stern with colours", behind(stern)},
      {"stern with colours and times", at_nano(stern)},
      {"docker compose logs", behind("kube-scheduler-1  | ")},
      {"docker compose logs with colours", behind("\x1b[36mkube-scheduler-1  | \x1b[0m")},
      {"docker compose logs -t", at_nano("kube-scheduler-1  | ")},
      {"docker logs -t", at_nano("")},
      {"crictl logs", behind("")},
      {"crictl logs -t", after([](const LogEntry& e) { return stamp(e.time, 9) + "+00:00 "; })},
      {"CRI", each_entry(cri_whole)},
      {"CRI of another zone", after([](const LogEntry& e) {
         return stamp(e.time + std::chrono::hours(2), 9) + "+02:00 stderr F ";
       })},
      {"CRI in parts", each_entry([](const LogEntry& e) { return cri_line(e, 50); })},
      {"CRI behind grep -n",
       each_entry([](const LogEntry& e) { return fmt::format("{}:{}", e.number, cri_whole(e)); })},
      {"CRI behind grep -r -n", each_entry([](const LogEntry& e) {
         return fmt::format("/var/log/pods/kube-system_kube-scheduler-cp1_9f02/kube-scheduler/0.log:{}:{}",
                            e.number, cri_whole(e));
       })},
      {"aws logs tail",
       after([](const LogEntry& e) { return stamp(e.time, 6) + "+00:00 kube-scheduler-5f3a9c "; })},
      {"aws logs tail, short", after([](const LogEntry& e) { return stamp(e.time, 0) + ' '; })},
      {"logcli",
       after([](const LogEntry& e) { return stamp(e.time, 0) + "Z {container=\"kube-scheduler\"} "; })},
      {"logcli raw", behind("")},
      {"Grafana TXT", after([](const LogEntry& e) { return stamp(e.time, 3) + "Z\t"; })},
  };
}

}  // namespace

std::vector<SavedForm> line_forms() {
  std::vector<SavedForm> forms = text_forms();
  std::ranges::move(journal_forms(), std::back_inserter(forms));
  std::ranges::move(container_forms(), std::back_inserter(forms));
  return forms;
}

}  // namespace flowtap::test
