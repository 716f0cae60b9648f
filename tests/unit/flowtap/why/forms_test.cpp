// flowtap why --from: a scheduler's records are found in whatever stands around them, and what is not understood is said.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/files/content.hpp"
#include "tests/support/files/temp_dir.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/paths/paths.hpp"
#include "tests/unit/flowtap/forms/saved_forms.hpp"
#include "tests/unit/flowtap/shell.hpp"

namespace flowtap {
namespace {

namespace json = boost::json;

using test::file_of;
using test::golden;
using test::klog_records;
using test::saved_form;
using test::SavedForm;

struct FoundLog {
  std::string path;
  std::vector<std::string> pods;
};

const FoundLog kBase{"found/why/formats/base.log", {"shop/db-0", "shop/web-7f9c-abcde"}};
const FoundLog kBlocks{"found/forms/blocks.log", {"shop/train-0", "shop/cache-0"}};
const FoundLog kJson{"found/forms/json.log", {"shop/web-7f9c-abcde", "shop/cache-0"}};
const FoundLog kHami{"found/forms/hami.log", {"default/hami-ok-a"}};

/// What the program has shown, its two outputs apart.
struct Shown {
  int exit = -1;
  std::string output;
  std::string errors;
};

std::string in_golden(const std::string& path) {
  return paths::golden() + '/' + path;
}

// Only some forms have a year, without which no time is known.
json::value without_times(json::value value) {
  if (value.is_array())
    for (json::value& item : value.get_array()) item = without_times(item);
  if (!value.is_object()) return value;
  json::object out;
  for (const auto& [key, member] : value.get_object())
    if (key != "time" && key != "times") out[key] = without_times(member);
  return out;
}

// " at 2026-11-26 10:04:00 UTC"
std::string without_time(std::string text) {
  const std::size_t at = text.find(" at 2026-");
  if (at == std::string::npos) return text;
  return text.erase(at, text.find(" UTC", at) + 4 - at);
}

class WhyFormsTest : public testing::Test {
 protected:
  [[nodiscard]] std::string write(const std::string& name, std::string_view bytes) const {
    std::ofstream(dir_ / name, std::ios::binary) << bytes;
    return dir_ / name;
  }
  [[nodiscard]] std::string write_gz(const std::string& name, std::string_view bytes) const {
    const gzFile file = ::gzopen((dir_ / name).c_str(), "wb");
    ::gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    ::gzclose(file);
    return dir_ / name;
  }
  [[nodiscard]] Shown why(const std::string& arguments, const std::vector<std::string>& files) const {
    std::string line = paths::flowtap() + " why " + arguments;
    for (const std::string& file : files) line += " --from " + file;
    const std::string errors = dir_ / "errors";
    Outcome run = shell(line + " 2>" + errors);
    return {run.exit, std::move(run.output), test::content(errors)};
  }
  [[nodiscard]] json::value answer(const std::string& arguments, const std::string& file) const {
    const Shown shown = why(arguments + " -o json", {file});
    EXPECT_EQ(shown.exit, 0) << arguments;
    EXPECT_EQ(shown.errors, "") << arguments;
    json::error_code error;
    return without_times(json::parse(shown.output, error));
  }
  /// What the file says of the log's pods, and how often the first one was tried: a record may not be found twice.
  [[nodiscard]] json::array answers(const FoundLog& log, const std::string& file) const {
    json::array out;
    for (const std::string& pod : log.pods) out.push_back(answer(pod, file));
    const json::value all = answer(log.pods.front() + " --evidence", file);
    const json::value* const tried = all.is_object() ? all.get_object().if_contains("attempt") : nullptr;
    out.push_back(tried != nullptr ? *tried : json::value());
    return out;
  }
  void expect_refused(const std::string& arguments, const std::string& path) const {
    const Shown shown = why(arguments, {path});
    EXPECT_EQ(shown.exit, 1) << arguments << ' ' << path;
    EXPECT_EQ(shown.output, "") << arguments << ' ' << path;
    EXPECT_TRUE(shown.errors.starts_with("flowtap: ")) << arguments << ' ' << path << ": " << shown.errors;
    EXPECT_NE(shown.errors.find("\n  hint: "), std::string::npos) << arguments << ' ' << path;
    EXPECT_EQ(std::ranges::count(shown.errors, '\n'), 2) << shown.errors;
  }

  // `cut`: also without the last newline.
  void expect_answers_of_all_forms(const FoundLog& log, bool cut = true) const {
    const auto records = klog_records(golden(log.path));
    const json::array right = answers(log, in_golden(log.path));
    for (const SavedForm& form : test::saved_forms()) {
      SCOPED_TRACE(form.name + ", " + log.path);
      std::string bytes = file_of(form, records);
      EXPECT_EQ(answers(log, write("log", bytes)), right);
      if (!cut || !bytes.ends_with('\n')) continue;
      bytes.pop_back();
      EXPECT_EQ(answers(log, write("log", bytes)), right) << "without its last newline";
    }
  }

  test::TempDir dir_;
};

// The other tests compare with these.
TEST_F(WhyFormsTest, ThePlainLogsHaveAnswers) {
  for (const auto& [log, pod, words] :
       {std::tuple{&kBase, 0U, "none of 3 nodes fits; 3 cannot reach the pod's volume"},
        std::tuple{&kBase, 1U, "none of 3 nodes fits; 2 lack CPU, 1 has a taint"},
        std::tuple{&kBlocks, 0U, "no GPU class"}, std::tuple{&kBlocks, 1U, "TLS handshake timeout"},
        std::tuple{&kJson, 0U, "none of 3 nodes fits; 2 lack CPU, 1 has a taint"},
        std::tuple{&kJson, 1U, "TLS handshake timeout"}, std::tuple{&kHami, 0U, "bound to gpu-node-2"}}) {
    const Shown shown = why(log->pods.at(pod), {in_golden(log->path)});
    EXPECT_EQ(shown.exit, 0);
    EXPECT_EQ(shown.errors, "");
    EXPECT_NE(shown.output.find(words), std::string::npos) << log->path << ": " << shown.output;
  }
}

TEST_F(WhyFormsTest, EveryFormOfALogGivesItsAnswers) {
  expect_answers_of_all_forms(kBase);
}

TEST_F(WhyFormsTest, EveryFormOfALogWithLongValuesGivesItsAnswers) {
  expect_answers_of_all_forms(kBlocks);
}

TEST_F(WhyFormsTest, EveryFormOfALogInJsonGivesItsAnswers) {
  expect_answers_of_all_forms(kJson, false);
}

TEST_F(WhyFormsTest, EveryFormOfHamisLogGivesItsAnswers) {
  expect_answers_of_all_forms(kHami, false);
}

TEST_F(WhyFormsTest, EveryFormMayBeCompressed) {
  for (const char* const name : {"kubectl logs --timestamps", "Loki API, pretty", "UTF-16 LE"}) {
    SCOPED_TRACE(name);
    const std::string bytes = file_of(saved_form(name), klog_records(golden(kBase.path)));
    EXPECT_EQ(answers(kBase, write_gz("log.gz", bytes)), answers(kBase, in_golden(kBase.path)));
  }
}

// These were made by another program than the forms above.
TEST_F(WhyFormsTest, TheFilesThatWereFoundGiveTheAnswers) {
  const json::array right = answers(kBase, in_golden(kBase.path));
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(in_golden("found/why/formats"))) {
    if (!file.path().filename().string().starts_with("f-")) continue;
    ++files;
    SCOPED_TRACE(file.path().filename().string());
    EXPECT_EQ(answers(kBase, file.path()), right);
  }
  EXPECT_EQ(files, 52);
}

// A page's tag, a table's border, a terminal's blanks, an editor's sign.
TEST_F(WhyFormsTest, WhatStandsBehindALineBelongsToNoValue) {
  for (const FoundLog& log :
       {FoundLog{"found/k8s-1.36/taints-text.log", {"sched/many"}},
        FoundLog{"scheduler/hami-2.10-filter-failed-v5.log", {"default/gpu-pod-default"}}}) {
    const json::array right = answers(log, in_golden(log.path));
    for (const char* const behind : {"</p>", "</td></tr>", "$", " |", "\t|", ")", "   ", "\xe2\x80\x8b"}) {
      SCOPED_TRACE(behind + (", " + log.path));
      std::string bytes;
      for (const test::LogEntry& record : klog_records(golden(log.path)))
        bytes += record.text + behind + '\n';
      EXPECT_EQ(answers(log, write("log", bytes)), right);
    }
  }
}

// klog's text has no year.
TEST_F(WhyFormsTest, TheYearOutsideOfARecordIsItsYear) {
  const auto records = klog_records(golden(kBase.path));
  for (const char* const name :
       {"kubectl logs --timestamps", "Fluent Bit, log first", "Loki API, compact", "Loki API, pretty",
        "journalctl verbose", "journalctl export", "Azure CSV", "Azure CSV, few quotes"}) {
    const Shown shown =
        why("shop/db-0 -o json --evidence", {write("log", file_of(saved_form(name), records))});
    json::error_code error;
    const json::value all = json::parse(shown.output, error);
    ASSERT_TRUE(all.is_object() && all.get_object().contains("times")) << name << ": " << shown.output;
    const json::object& times = all.at("times").as_object();
    EXPECT_EQ(times.at("first"), "2026-11-26T10:00:01.200000000Z") << name;
    EXPECT_EQ(times.at("last"), "2026-11-26T10:00:01.203412000Z") << name;
  }
}

TEST_F(WhyFormsTest, WhatTwoFilesHaveInCommonCountsOnce) {
  const std::string full = in_golden("found/why/overlap/full.log");
  const std::string part = in_golden("found/why/overlap/part.log");
  const std::string pasted = in_golden("found/why/overlap/pasted.log");
  const std::string text = golden("found/why/overlap/full.log");
  const std::size_t third = golden("found/why/overlap/part.log").size();
  const std::string half = write("half", std::string_view(text).substr(0, third + 130));
  const std::string copy = write("copy", text);
  const std::string kept = write("kept", file_of(saved_form("CRI"), klog_records(text)));
  const std::string expected = why("shop/web", {full}).output;
  EXPECT_NE(expected.find("4th attempt"), std::string::npos) << expected;
  const std::vector<std::vector<std::string>> all{
      {part, full}, {full, part}, {full, full}, {full, copy}, {full, part, full}, {full, kept},
      {kept, full}, {part, kept}, {half, full}, {full, half}, {full, pasted},     {pasted, full}};
  for (const auto& files : all) {
    const Shown shown = why("shop/web", files);
    EXPECT_EQ(shown.exit, 0);
    EXPECT_EQ(without_time(shown.output), expected) << fmt::format("{}", fmt::join(files, " "));
  }
}

// Wherever the capture ended within a record that another file has as a whole.
TEST_F(WhyFormsTest, ACaptureThatEndsWithinARecordOfAnotherFileCountsNoRecordTwice) {
  const std::string full = in_golden("found/why/overlap/full.log");
  const std::string text = golden("found/why/overlap/full.log");
  const std::string expected = why("shop/web", {full}).output;
  const std::size_t last = text.rfind('\n', text.size() - 2) + 1;
  for (std::size_t end = last; end < text.size(); end += 3) {
    const std::string begun = write("begun", std::string_view(text).substr(0, end));
    for (const auto& files : {std::vector{begun, full}, std::vector{full, begun}})
      EXPECT_EQ(without_time(why("shop/web", files).output), expected) << end;
  }
}

// A terminal has put blanks behind its lines, and a person or a tool has put text between them.
TEST_F(WhyFormsTest, WhatStandsBehindARecordMakesNoOtherOneOfIt) {
  const std::string full = in_golden("found/why/overlap/full.log");
  const std::string text = golden("found/why/overlap/full.log");
  const std::string expected = why("shop/web", {full}).output;
  const auto behind_each = [&text](std::string_view what) {
    std::string out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) out.append(line).append(what);
    return out;
  };
  for (const std::string& copy : {behind_each("   \n"), behind_each("\n\n"), behind_each("\r\n"),
                                  text + "\nthanks for any help\n", "```\n" + text + "```\n",
                                  "==> etcd [4f0c] <==\nx\n\n==> kube-scheduler [91ab] <==\n" + text +
                                      "\n==> kubelet <==\nNov 26 10:00:00 a kubelet[7]: x\n"}) {
    const std::string file = write("copy", copy);
    for (const auto& files : {std::vector{file, full}, std::vector{full, file}})
      EXPECT_EQ(without_time(why("shop/web", files).output), expected) << copy.substr(0, 400);
  }
}

TEST_F(WhyFormsTest, ALineThatIsCutOffIsReadAsFarAsItGoes) {
  const Shown shown = why("shop/web", {in_golden("found/why/cut-line/in.log")});
  EXPECT_EQ(shown.exit, 0) << shown.errors;
  EXPECT_EQ(shown.output.find(R"(""0/30")"), std::string::npos) << shown.output;
  EXPECT_NE(shown.output.find("30 nodes"), std::string::npos) << shown.output;
  EXPECT_NE(shown.output.find("cut off"), std::string::npos) << shown.output;
}

TEST_F(WhyFormsTest, AFileWithoutARecordOfASchedulerIsNotPassedOver) {
  std::vector<std::string> files{write("empty", ""), write("hello", "hello"), write("hello2", "hello\n")};
  for (const char* const name :
       {"unknown-log/ca.log", "unknown-log/kai.log", "unknown-log/kueue.log", "unknown-log/volcano.log",
        "unknown-log/yunikorn.jsonl", "unknown-log/kueue.jsonl", "k118-unstructured/in.log"})
    files.push_back(in_golden("found/why/") + name);
  for (const std::string& file : files)
    for (const char* const arguments : {"", "shop/web-0", "blue/gpu-pod1 -o json"})
      expect_refused(arguments, file);
}

TEST_F(WhyFormsTest, EventsOfAPodAreItsAnswerIfTheyNameIt) {
  const std::string folder = in_golden("found/why/unknown-log/");
  const Shown list = why("default/web-0", {folder + "events.txt"});
  EXPECT_EQ(list.exit, 0) << list.errors;
  EXPECT_NE(list.output.find("memory"), std::string::npos) << list.output;

  expect_refused("shop/web-0", folder + "describe.txt");
  const Shown nameless = why("shop/web-0", {folder + "describe.txt"});
  EXPECT_NE(nameless.errors.find("name their pod"), std::string::npos) << nameless.errors;

  const std::string head = "Name:             web-0\nNamespace:        shop\n";
  const Shown named =
      why("shop/web-0", {write("describe", head + golden("found/why/unknown-log/describe.txt"))});
  EXPECT_EQ(named.exit, 0) << named.errors;
  EXPECT_NE(named.output.find("memory"), std::string::npos) << named.output;
}

// An export may be one line that is longer than any.
TEST_F(WhyFormsTest, NoRecordIsLostWhereALongLineIsDivided) {
  constexpr std::size_t kRecords = 60'000;
  std::vector<test::LogEntry> records;
  for (std::size_t i = 0; i < kRecords; ++i) {
    const std::string text = fmt::format(
        "I1126 10:{:02}:{:02}.{:06}       1 schedule_one.go:1046] \"Unable to schedule pod; no fit; "
        "waiting\" "
        "pod=\"shop/web\" err=\"0/3 nodes are available: 3 Insufficient cpu.\"",
        i / 6000, i / 100 % 60, i % 100 * 10'000);
    records.push_back(klog_records(text).front());
  }
  for (const char* const name : {"Loki API, compact", "Elasticsearch, compact", "CloudWatch, compact"}) {
    const std::string bytes = file_of(saved_form(name), records);
    ASSERT_GT(bytes.size(), std::size_t{9} << 20U);
    const json::value all = answer("shop/web --evidence", write("log", bytes));
    EXPECT_EQ(all.at("attempt"), kRecords) << name;
  }
}

// What a program says of a log is not the log.
TEST_F(WhyFormsTest, ARecordThatAnotherProgramQuotesIsNotBelieved) {
  const std::string record = klog_records(golden(kBase.path)).front().text;
  const std::string quoted = json::serialize(json::string(record));
  const std::string inner = quoted.substr(1);
  for (const std::string& line :
       {R"({"ts":1.2,"msg":"saw: )" + inner + "}", R"({"level":"info","ts":1.2,"msg":"saw: )" + inner + "}",
        R"({"time":"2026-11-26T10:00:00Z","level":"warn","message":"the scheduler says )" + inner + "}",
        R"({"message":"cannot parse \"x\" and )" + inner + "}",
        R"({"msg":"at 10:00:00 somebody wrote: )" + inner + "}"})
    expect_refused("", write("log", line + '\n'));
}

TEST_F(WhyFormsTest, RecordsOfAnotherProgramAreCountedAsNotUnderstood) {
  std::string other;
  for (int i = 0; i < 30; ++i)
    other += fmt::format(
        "I1126 10:01:{:02}.000001       1 replica_set.go:621] \"Too few replicas\" "
        "replicaSet=\"shop/web\" need=3 creating=1\n",
        i);
  const Shown shown = why(kBase.pods.front(), {write("log", golden(kBase.path) + other)});
  EXPECT_EQ(shown.exit, 0);
  EXPECT_TRUE(
      shown.errors.starts_with("flowtap: 30 of 34 lines were not understood: they look like the log "
                               "of kube-controller-manager\n"))
      << shown.errors;
}

TEST_F(WhyFormsTest, WhatIsNotUnderstoodIsCounted) {
  std::string prose;
  for (int i = 0; i < 100; ++i) prose += fmt::format("At {} we looked at the cluster again.\n", i);
  const std::string plain = in_golden(kBase.path);
  const std::string mixed = write("log", prose + golden(kBase.path));
  for (const std::string& pod : kBase.pods) {
    const Shown shown = why(pod, {mixed});
    EXPECT_EQ(shown.exit, 0);
    EXPECT_EQ(shown.output, why(pod, {plain}).output);
    EXPECT_NE(shown.errors.find("100 "), std::string::npos) << shown.errors;
  }
}

}  // namespace
}  // namespace flowtap
