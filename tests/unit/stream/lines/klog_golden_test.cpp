// Records of klog as files: what is in each record of the grammar's corner cases, and that nothing of a real record is lost.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "klog_render.hpp"
#include "scheduler_log.hpp"
#include "stream/lines/whole_records.hpp"

namespace flowtap::flow {
namespace {

using test::scheduler_log;

std::vector<std::string> texts_of(std::string_view log, std::size_t write = 4096) {
  std::vector<std::string> out;
  WholeRecords records;
  LineAssembler lines;
  const auto take = [&](const WholeRecord& record) { out.emplace_back(record.text); };
  const auto take_line = [&](const LineView& line) { records.add(line, take); };
  for (; !log.empty(); log.remove_prefix(std::min(write, log.size())))
    lines.add(log.substr(0, write), 0, take_line);
  lines.finish(take_line);
  records.flush(take);
  return out;
}

std::string described_log(const std::string& name) {
  std::string out;
  for (const std::string& text : texts_of(scheduler_log(name))) out += test::described(text);
  return out;
}

TEST(KlogGolden, CornersOfTheGrammar) {
  EXPECT_EQ(described_log("klog-grammar.log"), scheduler_log("klog-grammar.parsed"));
  EXPECT_EQ(described_log("klog-odd.log"), scheduler_log("klog-odd.parsed"));
}

// If each record is put together again from header, message, pairs and rest, it is the same record, and all of them are the log.
TEST(KlogGolden, NothingOfALogIsLost) {
  for (const std::string& name : test::all_logs()) {
    const std::string log = scheduler_log(name);
    std::string joined;
    std::size_t pairs = 0;
    for (const std::string& text : texts_of(log)) {
      const auto record = parse_klog_record(text);
      ASSERT_TRUE(record) << name << ": " << text;
      EXPECT_EQ(test::rendered(*record), text) << name;
      joined += text + '\n';
      KlogPairs walk(*record);
      for (KlogPair pair; record->structured && walk.next(pair);) ++pairs;
    }
    const std::size_t head = log.size() - joined.size();  // lines before the first record
    ASSERT_LE(head, log.size()) << name;
    EXPECT_EQ(joined, log.substr(head)) << name;
    EXPECT_TRUE(texts_of(log.substr(0, head)).empty()) << name;
    EXPECT_GT(pairs, name.starts_with("numa-design") ? 2U : 10U) << name;
  }
}

TEST(KlogGolden, RecordsAreTheSameHoweverTheyWereWritten) {
  for (const char* name : {"klog-grammar.log", "klog-odd.log", "kube-scheduler-v5.json.log"}) {
    const std::string log = scheduler_log(name);
    const auto whole = texts_of(log);
    for (const std::size_t write : {1U, 7U, 100U, 70'000U})
      EXPECT_EQ(texts_of(log, write), whole) << name << write;
  }
}

// If lines have more than 16 KiB, only the first one begins like a record; the others belong to the same record.
TEST(KlogGolden, LongRecords) {
  const std::string header = "I0821 07:20:00.000001       1 score.go:39] ";
  const std::string pods = "[" + std::string(60'000, '1') + "]";
  const std::string block =
      "\t" + std::string(40'000, 'x') + "\n\tI0821 07:20:00.000001       1 a.go:1] \"no\" a=1\n";
  const std::string log = header + "\"device status\" device id=\"GPU-1\" device detail=" + pods +
                          " first=<\n" + block + " > pod=\"ns/p\"\n" + header + "\"next\"\n";
  for (const std::size_t write : {100U, 16'384U, 200'000U}) {
    const auto texts = texts_of(log, write);
    ASSERT_EQ(texts.size(), 2U) << write;
    const auto record = parse_klog_record(texts[0]);
    ASSERT_TRUE(record);
    std::vector<std::string> values;
    KlogPairs pairs(*record);
    for (KlogPair pair; pairs.next(pair);) values.push_back(klog_value(pair));
    ASSERT_EQ(values.size(), 4U) << write;
    EXPECT_EQ(values[1], pods);
    EXPECT_EQ(values[2].size(), block.size() - 2);
    EXPECT_EQ(values[3], "ns/p");
  }
}

TEST(KlogGolden, AnEndlessRecordIsBounded) {
  WholeRecords records;
  std::vector<std::size_t> sizes;
  std::vector<bool> cut;
  const auto take = [&](const WholeRecord& record) {
    sizes.push_back(record.text.size());
    cut.push_back(record.cut);
  };
  const std::string first = "I0821 07:20:00.000001       1 a.go:1] \"m\"";
  const std::string line(10'000, 'x');
  std::uint64_t at = first.size() + 1;
  records.add({.text = first, .full = true, .begin = 0, .end = at}, take);
  for (int i = 0; i < 200; ++i, at += line.size() + 1)
    records.add({.text = line, .full = true, .begin = at, .end = at + line.size() + 1}, take);
  records.add({.text = first, .full = true, .begin = at, .end = at + first.size() + 1}, take);
  records.flush(take);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{RecordRules().most, first.size()}));
  EXPECT_EQ(cut, (std::vector<bool>{true, false}));
}

}  // namespace
}  // namespace flowtap::flow
