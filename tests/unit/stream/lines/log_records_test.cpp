// Which lines of a log are a record, when it is whole, and that it is parsed by what its text says.
#include "stream/lines/log_records.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "klog_render.hpp"

namespace flowtap::flow {
namespace {

const std::string kHead = "I0821 07:20:00.000001       1 a.go:1] ";
const RecordRules kAll{.most = 4096, .has_headers = true, .takes_all = true};
const RecordRules kLines{.most = 4096, .has_headers = false, .takes_all = true};

using Texts = std::vector<std::string>;

// Collects what is given, and checks that parsing it anew says the same.
class LogRecordsTest : public testing::Test {
 protected:
  auto takes() {
    return [this](std::string_view output, const WholeRecord& record) {
      texts_.emplace_back(record.text);
      outputs_ += output.substr(3, 1);
      times_.push_back(record.time);
      cut_ += record.cut ? 1 : 0;
      const auto anew = parse_klog_record(record.text);
      ASSERT_EQ(record.klog.has_value(), anew.has_value()) << record.text;
      if (!anew) return;
      EXPECT_EQ(test::rendered(*record.klog), record.text);
      EXPECT_EQ(record.klog->pairs, anew->pairs) << record.text;
      EXPECT_EQ(record.klog->message.data(), anew->message.data()) << "a view of the text";
      EXPECT_EQ(record.klog->message, anew->message);
      EXPECT_EQ(record.klog->structured, anew->structured);
    };
  }
  void add(std::string_view text, bool full = true, std::uint64_t time = 1,
           std::string_view output = "stdout") {
    records_.add({.time = time, .output = output, .full = full, .missing = {}, .text = text}, takes());
  }
  void miss() {
    records_.add({.time = 1, .output = "stdout", .full = true, .missing = 7, .text = "[gap]"}, takes());
  }
  void use(const RecordRules& rules) { records_ = LogRecords(rules); }
  Texts texts() { return std::exchange(texts_, {}); }

  LogRecords records_;
  Texts texts_;
  std::string outputs_;  // "o" and "e"
  std::vector<std::uint64_t> times_;
  int cut_ = 0;
};

TEST_F(LogRecordsTest, TheNextHeaderEndsARecord) {
  add("the rest of one"), add(kHead + "\"m\" err=<", true, 5), add("\ttwo", true, 6), add(" > pod=\"ns/p\"");
  add(kHead + "in", true, 7, "stderr"), add("side", true, 8, "stderr");
  EXPECT_EQ(texts(), Texts());
  add(kHead + "a", false, 9), add(kHead + "b"), add(R"({"ts":1.5,"msg":"m"})");
  EXPECT_EQ(texts(), (Texts{kHead + "\"m\" err=<\n\ttwo\n > pod=\"ns/p\"", kHead + "a" + kHead + "b"}))
      << "what is behind a part is no line of its own";
  records_.finish(takes());
  EXPECT_EQ(texts(), (Texts{R"({"ts":1.5,"msg":"m"})", kHead + "in\nside"}));
  EXPECT_EQ(outputs_, "oooe");
  EXPECT_EQ(times_, (std::vector<std::uint64_t>{5, 9, 1, 7})) << "of its first line";
}

TEST_F(LogRecordsTest, NothingGoesOnBehindAGap) {
  add(kHead + "a"), miss(), add("rest"), add(kHead + "b", false), miss();
  add(kHead + "c"), records_.jump(takes()), add("rest"), add(kHead + "d");
  EXPECT_EQ(texts(), (Texts{kHead + "a", kHead + "b", kHead + "c"})) << "what has no header is left out";
  use(kAll);
  add(kHead + "a"), miss(), add("rest"), add("of", false), add("some"), add(kHead + "b", false), miss();
  add("x");
  EXPECT_EQ(texts(), (Texts{kHead + "a", "rest", "ofsome", kHead + "b", "x"}));
}

TEST_F(LogRecordsTest, TheLastRecordIsWholeAWhileAfterItsLastLine) {
  constexpr auto kNever = LogRecords::Clock::time_point::max();
  const auto begin = LogRecords::Clock::now();
  add(kHead + "a");
  const auto until = records_.rest(takes(), begin);
  EXPECT_EQ(until, begin + LogRecords::kRecordIsWritten);
  add("more");
  const auto later = records_.rest(takes(), until);
  EXPECT_EQ(later, until + LogRecords::kRecordIsWritten);
  EXPECT_EQ(records_.rest(takes(), later - std::chrono::nanoseconds(1)), later);
  EXPECT_EQ(texts(), Texts()) << "that line has come since";
  EXPECT_EQ(records_.rest(takes(), later), kNever);
  EXPECT_EQ(texts(), Texts{kHead + "a\nmore"});
  EXPECT_EQ(records_.rest(takes()), kNever);
  add("late"), add(kHead + "b", false);
  EXPECT_EQ(texts(), Texts{"late"}) << "without a header, so nobody takes it for one";
  EXPECT_EQ(records_.rest(takes()), kNever) << "it is amid a line";
}

TEST_F(LogRecordsTest, WhatIsTooLongIsCutOrGoesOn) {
  const std::string line(1000, 'x');
  const auto add_long = [&] {
    add(kHead + "a");
    for (int i = 0; i < 10; ++i) add(line);
    add(kHead + "b");
    records_.finish(takes());
  };
  std::string all = kHead + "a";
  for (int i = 0; i < 10; ++i) all += "\n" + line;
  use({.most = 4096});
  add_long();
  EXPECT_EQ(texts(), (Texts{all.substr(0, 4096), kHead + "b"}));
  EXPECT_EQ(cut_, 1);
  use(kAll);
  add_long();
  const Texts parts = texts();
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts.at(0) + "\n" + parts.at(1), all);
  EXPECT_GE(parts.at(0).size(), 4096U);
  EXPECT_EQ(cut_, 1) << "nothing of these is left out";
}

// The scheduler was killed amid a line, and the next one goes on in the same flow.
TEST_F(LogRecordsTest, AStreamThatEndedAmidALineIsNotJoinedWithTheNext) {
  use(kAll);
  add(kHead + "a", false), add(kHead + "b"), add(kHead + "c");
  EXPECT_EQ(texts(), (Texts{kHead + "a", kHead + "b"}));
}

TEST_F(LogRecordsTest, WithoutHeadersEachLineIsARecordAtOnce) {
  use(kLines);
  add(kHead + "a"), add("\tmore"), add(""), add("o", false), add("err", true, 1, "stderr");
  EXPECT_EQ(texts(), (Texts{kHead + "a", "\tmore", "", "err"}));
  add("ne"), add("last", false);
  EXPECT_EQ(records_.rest(takes()), LogRecords::Clock::time_point::max());
  EXPECT_EQ(texts(), Texts{"one"});
  records_.finish(takes());
  EXPECT_EQ(texts(), Texts{"last"});
}

// Whatever the lines are, each record is parsed as its text says; and if all is taken, nothing of the lines is lost.
TEST_F(LogRecordsTest, WhateverTheLinesAre) {
  const Texts some{kHead + "raw",
                   kHead + "\"m\" a=\"b\" c=<",
                   "\tx",
                   " > d=1",
                   "",
                   R"({"ts":1.5,"caller":"a.go:1","msg":"m","v":2,"k":"v"})",
                   "I0821 ",
                   kHead.substr(7) + "\"m\" n=1",
                   kHead + "\"open",
                   std::string(900, 'y')};
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same lines each time
  for (const RecordRules& rules : {RecordRules{.most = 2048}, kAll, kLines}) {
    use(rules);
    std::string given;
    for (int i = 0; i < 5000; ++i) {
      const std::string& text = some.at(random() % some.size());
      if (random() % 50 == 0) miss();
      if (random() % 50 == 0) records_.finish(takes());
      given += text;
      add(text, random() % 4 != 0);
    }
    records_.finish(takes());
    std::string got;
    for (const std::string& text : texts()) got += text;
    EXPECT_GT(got.size(), 1000U);
    std::erase(got, '\n');
    EXPECT_EQ(got == given, rules.takes_all);
  }
}

}  // namespace
}  // namespace flowtap::flow
