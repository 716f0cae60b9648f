// Reads klog records that real schedulers wrote (tests/golden/scheduler), in MB per second and core: taking records
// apart, also with all values unescaped, also finding the records in the bytes first, and all work that the stream and
// the explain path do with them.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "explain/diagnosis/scheduler_log.hpp"
#include "stream/lines/klog/klog_pairs.hpp"
#include "stream/lines/log_records.hpp"
#include "stream/lines/scheduler_lines.hpp"
#include "stream/lines/whole_records.hpp"
#include "tests/support/paths/paths.hpp"
#include "tools/bench/load/loads.hpp"
#include "tools/bench/measure/figures.hpp"

namespace flowtap::bench {
namespace {

constexpr int kRounds = 31;
constexpr std::size_t kBytes = 8'000'000;  // per round: a log is read as many times as needed
constexpr std::uint64_t kTime = 1'795'224'000'000'000'000;  // of the lines, ns since 1970
constexpr std::size_t kRead = 65'536;                       // the most that one read of a pipe gives

constexpr std::array kLogs = {"kube-scheduler-v10.log",
                              "kube-scheduler-v5.json.log",
                              "kube-scheduler-v2.log",
                              "hami-2024-v4.log",
                              "numa-logid-era-v5.log",
                              "numa-pod-era-v4.log",
                              "kube-scheduler-v4-apiserver-down.log"};

struct Log {
  std::string name;
  std::string text;
  std::vector<std::string> records;
  std::string flow;  // the log of its flow
};

template <typename Take>
void each_line(std::string_view text, Take&& take) {
  flow::LineAssembler lines;
  for (; !text.empty(); text.remove_prefix(std::min(kRead, text.size())))
    lines.add(text.substr(0, kRead), 0, take);
  lines.finish(take);
}

template <typename Take>
void each_record(std::string_view text, Take&& take) {
  flow::WholeRecords records;
  each_line(text, [&](const flow::LineView& line) { records.add(line, take); });
  records.flush(take);
}

Result<Log> read_log(const std::string& name) {
  const std::ifstream in(paths::golden() + "/scheduler/" + name, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in || text.view().empty()) return fail("cannot read " + name);
  Log log{name, text.str(), {}, {}};
  each_record(log.text, [&](const flow::WholeRecord& record) { log.records.emplace_back(record.text); });
  flow::CriTime clock;
  each_line(log.text, [&](const flow::LineView& line) {
    flow::put_cri_line(log.flow, clock, {kTime, "stderr", line.full, {}, line.text});
  });
  return log;
}

// Keeps the compiler from leaving out unused results.
struct Seen {
  std::size_t bytes = 0;
  std::size_t pairs = 0;
};
volatile std::size_t sink;

void read(const std::optional<flow::KlogRecord>& record, Seen& seen) {
  if (!record) return;
  seen.bytes += record->message.size();
  if (!record->structured) return;
  flow::KlogPairs pairs(*record);
  for (flow::KlogPair pair; pairs.next(pair); ++seen.pairs) seen.bytes += pair.value.size();
}

void parse_all(const Log& log, Seen& seen) {
  for (const std::string& record : log.records) read(flow::parse_klog_record(record), seen);
}

void unescape_all(const Log& log, Seen& seen) {
  std::string buffer;
  for (const std::string& text : log.records) {
    const auto record = flow::parse_klog_record(text);
    if (!record || !record->structured) continue;
    flow::KlogPairs pairs(*record);
    for (flow::KlogPair pair; pairs.next(pair); ++seen.pairs)
      seen.bytes += flow::klog_text(pair, buffer).size();
  }
}

void find_and_parse(const Log& log, Seen& seen) {
  each_record(log.text, [&](const flow::WholeRecord& record) { read(record.klog, seen); });
}

void name_flows(const Log& log, Seen& seen) {
  flow::SchedulerLines lines;
  const auto take = [&](const flow::SchedulerLine& line) { seen.bytes += line.flow.size(); };
  each_line(log.text, [&](const flow::LineView& line) { lines.add(line, take); });
  lines.flush(take);
}

void diagnose(const Log& log, Seen& seen) {
  diagnosis::DiagnosisStore store;
  diagnosis::SchedulerLog scheduler(store);
  for (const std::string& record : log.records) scheduler.read(flow::whole_record(record));
  seen.pairs += store.size();
}

// As the explain path does.
void diagnose_flow(const Log& log, Seen& seen) {
  diagnosis::DiagnosisStore store;
  diagnosis::SchedulerLog scheduler(store);
  flow::LogRecords records;
  const auto read = [&](std::string_view, const flow::WholeRecord& record) { scheduler.read(record); };
  for (std::string_view rest = log.flow; !rest.empty();) {
    const std::size_t newline = rest.find('\n');
    if (const auto line = flow::parse_cri_line(rest.substr(0, newline))) records.add(*line, read);
    rest.remove_prefix(newline + 1);
  }
  records.finish(read);
  seen.pairs += store.size();
}

using Work = void (*)(const Log&, Seen&);

double megabytes_per_second(const std::vector<Log>& logs, Work work) {
  std::size_t size = 0;
  for (const Log& log : logs) size += log.text.size();
  const std::size_t times = kBytes / std::max<std::size_t>(size, 1) + 1;
  Seen seen;
  const double begin = thread_cpu_ns();
  for (std::size_t i = 0; i < times; ++i)
    for (const Log& log : logs) work(log, seen);
  const double took = thread_cpu_ns() - begin;
  sink = seen.bytes + seen.pairs;
  return static_cast<double>(size * times) * 1000 / took;
}

void row(const std::string& what, const std::vector<Log>& logs, Work work, const char* goal) {
  Rounds rounds;
  for (int i = 0; i < kRounds; ++i) rounds.add(megabytes_per_second(logs, work));
  print_row(what, rounds, "MB/s of one core's CPU", goal);
}

// The cost of a request for one diagnosis without HTTP: three nodes, three containers.
Status answer() {
  FTAP_TRY_ASSIGN(log, read_log("hami-2.10-success-v5.log"));
  diagnosis::DiagnosisStore store;
  diagnosis::SchedulerLog scheduler(store);
  for (const std::string& record : log.records) scheduler.read(flow::whole_record(record));
  Rounds rounds;
  for (int i = 0; i < kRounds; ++i) {
    constexpr int kAnswers = 10'000;
    std::size_t bytes = 0;
    const double begin = thread_cpu_ns();
    for (int n = 0; n < kAnswers; ++n)
      if (const auto found = store.find("default", "gpu-pod")) bytes += diagnosis::to_json(*found).size();
    rounds.add((thread_cpu_ns() - begin) / kAnswers / 1000);
    sink = bytes;
    if (bytes == 0) return fail("there is no diagnosis of default/gpu-pod");
  }
  print_row("a pod's answer out of the store, as JSON", rounds, "µs of CPU");
  return {};
}

Status run() {
  std::vector<Log> logs;
  for (const char* name : kLogs) {
    FTAP_TRY_ASSIGN(log, read_log(name));
    logs.push_back(std::move(log));
  }
  print_section("klog records taken apart: header, message, pairs");
  for (const Log& log : logs)
    row(fmt::format("{}, {} B a record", log.name, log.text.size() / log.records.size()), {log}, parse_all,
        "400");
  print_section("all of these logs");
  row("taken apart", logs, parse_all, "400");
  row("and each value as the program had it", logs, unescape_all, "");
  row("from bytes: lines, records, taken apart", logs, find_and_parse, "");
  row("from bytes: lines, each one's flow and verbosity", logs, name_flows, "");
  row("diagnosed, as records", logs, diagnose, "");
  row("diagnosed, as a flow's lines", logs, diagnose_flow, "");
  row("diagnosed: hami-2024-v4.log alone", {logs[3]}, diagnose, "");
  return answer();
}

}  // namespace
}  // namespace flowtap::bench

int main() {
  return flowtap::bench::finish(flowtap::bench::run());
}
