// The logs of tests/golden/scheduler, and how they become lines and records.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "stream/lines/line_assembler.hpp"
#include "stream/lines/scheduler_lines.hpp"
#include "tests/support/scheduler_golden.hpp"

namespace flowtap::flow::test {

using flowtap::test::scheduler_log;

inline const std::vector<std::string> kRealLogs = {"hami-2024-kube-scheduler-v4.log",
                                                   "hami-2024-v4.log",
                                                   "kube-scheduler-v10.log",
                                                   "kube-scheduler-v2.log",
                                                   "kube-scheduler-v4-apiserver-down.log",
                                                   "kube-scheduler-v5.json.log",
                                                   "numa-logid-era-v5.log",
                                                   "numa-pod-era-v4.log"};
inline const std::vector<std::string> kComposedLogs = {"hami-2.10-filter-failed-v4.log",
                                                       "hami-2.10-filter-failed-v5.log",
                                                       "hami-2.10-success-v4.log",
                                                       "hami-2.10-success-v5.log",
                                                       "klog-grammar.log",
                                                       "numa-design-line.log",
                                                       "numa-logid-era-v6.log"};

inline std::vector<std::string> all_logs() {
  std::vector<std::string> all = kRealLogs;
  all.insert(all.end(), kComposedLogs.begin(), kComposedLogs.end());
  return all;
}

/// A record as SchedulerLines gave it.
struct Given {
  std::string text;  ///< all of its bytes
  std::string flow;
  Level level = kUnknownLevel;
  bool headed = false;

  friend bool operator==(const Given&, const Given&) = default;
};

/// Makes records of text that comes in writes of this many bytes. Throws std::runtime_error if a record's lines disagree.
inline std::vector<Given> records_of(std::string_view text, std::size_t write, SchedulerLines& lines) {
  std::vector<Given> records;
  std::uint64_t last = 0;
  const auto take = [&](const SchedulerLine& line) {
    if (line.line.first != (records.empty() || line.line.record != last)) throw std::runtime_error("first");
    if (line.line.first) records.push_back({{}, std::string(line.flow), line.level, line.line.headed});
    last = line.line.record;
    Given& record = records.back();
    if (record.flow != line.flow || record.level != line.level) throw std::runtime_error("two answers");
    record.text.append(line.line.line.text);
    if (line.line.line.full) record.text += '\n';
  };
  LineAssembler assembler;
  const auto take_line = [&](const LineView& line) { lines.add(line, take); };
  for (; !text.empty(); text.remove_prefix(std::min(write, text.size())))
    assembler.add(text.substr(0, write), 0, take_line);
  assembler.finish(take_line);
  lines.flush(take);
  return records;
}

inline std::vector<Given> records_of(std::string_view text, std::size_t write = 4096) {
  SchedulerLines lines;
  return records_of(text, write, lines);
}

}  // namespace flowtap::flow::test
