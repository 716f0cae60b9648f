// A flow's log as OpenTelemetry's log records.
#include "stream/reading/forms/otel_form.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <map>
#include <optional>
#include <set>

namespace flowtap {
namespace {

namespace json = boost::json;

std::map<std::string, std::string> attributes(const json::object& record) {
  std::map<std::string, std::string> all;
  for (const auto& one : record.at("attributes").as_array())
    all[std::string(one.at("key").as_string())] = one.at("value").at("stringValue").as_string();
  return all;
}
json::object record(std::string_view id, std::string_view text, std::optional<std::uint64_t> time = 1) {
  return json::parse(otel_record(id, {time, 0, "stdout", text, flow::parse_klog_record(text)})).as_object();
}
std::string body(const json::object& record) {
  return std::string(record.at("body").at("stringValue").as_string());
}

using All = std::map<std::string, std::string>;

TEST(OtelLogRecord, ALineOfAContainer) {
  const auto line = record("pod/shop/web-0/3f1c/app/2", "GET /cart 200", 1'767'323'045'000'000'678);
  EXPECT_EQ(line.at("timeUnixNano").as_string(), "1767323045000000678");
  EXPECT_EQ(body(line), "GET /cart 200");
  EXPECT_FALSE(line.contains("severityNumber")) << "it does not say so";
  EXPECT_EQ(line.at("traceId").as_string().size(), 32U);
  EXPECT_EQ(line.at("spanId").as_string().size(), 16U);
  EXPECT_EQ(attributes(line), (All{{"k8s.namespace.name", "shop"},
                                   {"k8s.pod.name", "web-0"},
                                   {"k8s.pod.uid", "3f1c"},
                                   {"k8s.container.name", "app"},
                                   {"k8s.container.restart_count", "2"},
                                   {"flowtap.flow", "pod/shop/web-0/3f1c/app/2"}}));
}

// The keys of a scheduler's record are attributes, and the flow is the trace, from whichever line they are.
TEST(OtelLogRecord, ARecordOfAScheduler) {
  const auto line =
      record("sched/default/p", R"(E0821 07:20:00.000001       1 a.go:1] "can not" pod="default/p" n=3)");
  EXPECT_EQ(line.at("severityText").as_string(), "ERROR");
  EXPECT_EQ(line.at("severityNumber").to_number<int>(), 17);
  EXPECT_EQ(body(line), "can not");
  EXPECT_EQ(line.at("traceId").as_string(), "c6619779659df13906d4bab0d1a7d827");
  EXPECT_EQ(record("sched/default/p", "x").at("traceId"), line.at("traceId"));
  EXPECT_NE(record("sched/default/q", "x").at("traceId"), line.at("traceId"));
  EXPECT_EQ(attributes(line), (All{{"k8s.namespace.name", "default"},
                                   {"k8s.pod.name", "p"},
                                   {"flowtap.flow", "sched/default/p"},
                                   {"process.pid", "1"},
                                   {"code.file.path", "a.go"},
                                   {"code.line.number", "1"},
                                   {"pod", "default/p"},
                                   {"n", "3"}}));
}

TEST(OtelLogRecord, AnyBytes) {
  EXPECT_EQ(body(record("unit/a.service", "")), "");
  const auto line =
      record("sched/other/x", std::string("no time \xff \x1b[0m \"q\" \\ \0 end", 26), std::nullopt);
  EXPECT_FALSE(line.contains("timeUnixNano"));
  EXPECT_EQ(body(line).substr(0, 12), "no time \\xff");
  EXPECT_EQ(attributes(line), (All{{"flowtap.flow", "sched/other/x"}}));
}

constexpr std::string_view kHead = "I0821 07:20:00.000001       1 a.go:1] ";

class OtelFormTest : public testing::Test {
 protected:
  void take(OtelForm& form, std::string_view text, bool full = true, std::uint64_t time = 1,
            std::string_view output = "stdout") {
    form.take({.time = time, .output = output, .full = full, .missing = {}, .text = text}, piece_);
  }
  void lose(OtelForm& form) {
    form.take({.time = 1, .output = "stdout", .full = true, .missing = 7, .text = "[gap]"}, piece_);
  }
  // The records that came since the last call; each object stands on a line of its own.
  std::vector<json::object> records() {
    std::vector<json::object> all;
    const std::string text = std::exchange(piece_.bytes, {});
    EXPECT_TRUE(text.empty() || text.ends_with('\n'));
    for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
      all.push_back(json::parse(text.substr(at, end - at)).as_object());
    return all;
  }
  std::vector<std::string> bodies() {
    std::vector<std::string> all;
    for (const auto& record : records()) all.push_back(body(record));
    return all;
  }

  api::BodyReader::Piece piece_;
};

using Bodies = std::vector<std::string>;

TEST_F(OtelFormTest, EachLineOfAContainerIsARecordAtOnce) {
  OtelForm form("f", {}, false);
  const std::string headed = std::string(kHead) + "x";
  take(form, headed), take(form, "\tmore"), take(form, "");
  EXPECT_EQ(bodies(), (Bodies{"x", "\tmore", ""}));
  take(form, "o", false), take(form, "err", true, 1, "stderr");
  EXPECT_EQ(bodies(), (Bodies{"err"})) << "the outputs do not mix";
  take(form, "ne"), take(form, "last", false);
  EXPECT_EQ(bodies(), (Bodies{"one"}));
  EXPECT_EQ(form.rest(piece_), OtelForm::Clock::time_point::max());
  form.finish(piece_);
  EXPECT_EQ(bodies(), (Bodies{"last"}));
}

// The lines are as klog writes them: a block, a raw message of several lines, a panic behind a record, a line that came in parts.
TEST_F(OtelFormTest, ARecordOfASchedulersIsOneWithAllOfItsLines) {
  const std::string head(kHead);
  OtelForm form("sched/ns/p", {}, true);
  take(form, "the rest of one"), take(form, "and of another");
  EXPECT_EQ(bodies(), (Bodies{"the rest of one", "and of another"})) << "nobody knows";
  take(form, head + "\"m\" err=<"), take(form, "\ttwo"), take(form, ""), take(form, " > pod=\"ns/p\"");
  EXPECT_EQ(bodies(), Bodies());
  take(form, head + "raw"), take(form, "text", true, 5), take(form, head + "in", true, 1, "stderr");
  take(form, "side", true, 1, "stderr");
  const std::string part(flow::kMaxLine, 'x');
  take(form, head + "y" + part.substr(head.size() + 1), false), take(form, head), take(form, "end");
  const auto got = records();
  ASSERT_EQ(got.size(), 2U);
  EXPECT_EQ(body(got.at(0)), "\"m\" err=<\n\ttwo\n\n > pod=\"ns/p\"");
  EXPECT_EQ(attributes(got.at(0)).at("err"), "two\n\n");
  EXPECT_EQ(body(got.at(1)), "raw\ntext");
  EXPECT_EQ(got.at(1).at("timeUnixNano").as_string(), "1") << "of its first line";
  form.finish(piece_);
  EXPECT_EQ(bodies(), (Bodies{"y" + part.substr(head.size() + 1) + head + "\nend", "in\nside"}));
}

TEST_F(OtelFormTest, NothingIsJoinedThatMayNotBelongTogether) {
  const std::string head(kHead);
  OtelForm form("sched/ns/p", {.follow = true}, true);
  take(form, head + "a"), lose(form), take(form, "rest"), take(form, "rest");
  EXPECT_EQ(bodies(), (Bodies{"a", "[gap]", "rest", "rest"}));
  EXPECT_EQ(piece_.missing_before, 7U);
  take(form, head + "b"), form.jump(piece_), take(form, "rest");
  EXPECT_EQ(bodies(), (Bodies{"b", "rest"}));
  take(form, head + "c"), form.say("word", piece_);
  const auto got = records();
  EXPECT_EQ(body(got.at(0)), "c");
  EXPECT_EQ(body(got.at(1)), "[flowtap: word]");
  EXPECT_FALSE(got.at(1).contains("timeUnixNano"));
  // The scheduler was killed amid a line, and the next one goes on in the same flow.
  take(form, head + "d", false), take(form, head + "e"), form.finish(piece_);
  EXPECT_EQ(bodies(), (Bodies{"d", "e"}));
  // A record without an end does not fill the memory.
  take(form, head + "f");
  for (std::size_t i = 0; i < 3 * OtelForm::kLongestBody / flow::kMaxLine; ++i)
    take(form, std::string(flow::kMaxLine, 'x'), i % 2 == 0);
  const auto parts = bodies();
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_LE(parts.at(1).size(), OtelForm::kLongestBody + flow::kMaxLine);
}

TEST_F(OtelFormTest, AGapSaysHowMuchAndWhyAndMarksWhatItHasCut) {
  OtelForm form("f", {.gaps = true}, false);
  take(form, "cut o", false);
  form.take({.time = 1,
             .output = "stdout",
             .full = true,
             .missing = 7,
             .text = "[gap]",
             .cause = flow::MissingCause::kRingFull},
            piece_);
  take(form, "whole"), lose(form);
  const auto got = records();
  ASSERT_EQ(got.size(), 4U);
  EXPECT_EQ(attributes(got.at(0)), (All{{"flowtap.flow", "f"}, {"flowtap.cut", "true"}}));
  EXPECT_EQ(attributes(got.at(1)),
            (All{{"flowtap.flow", "f"}, {"flowtap.missing_bytes", "7"}, {"flowtap.cause", "ring_full"}}));
  EXPECT_EQ(attributes(got.at(2)), (All{{"flowtap.flow", "f"}}));
  EXPECT_EQ(attributes(got.at(3)), (All{{"flowtap.flow", "f"}, {"flowtap.missing_bytes", "7"}}));
  form.take({.time = 1,
             .output = "stdout",
             .full = true,
             .missing = 0,
             .text = "[gap]",
             .cause = flow::MissingCause::kBrokeOff},
            piece_);
  EXPECT_EQ(attributes(records().at(0)), (All{{"flowtap.flow", "f"}, {"flowtap.cause", "broke_off"}}));
  OtelForm plain("f", {}, false);
  take(plain, "cut o", false), lose(plain);
  EXPECT_EQ(bodies(), (Bodies{"cut o"}));
}

// No next record says that the last one is whole.
TEST_F(OtelFormTest, WhoFollowsWaitsALittleForTheRestOfARecord) {
  OtelForm form("sched/ns/p", {.follow = true}, true);
  take(form, std::string(kHead) + "a");
  const auto until = form.rest(piece_);
  ASSERT_LT(until, OtelForm::Clock::time_point::max());
  EXPECT_EQ(bodies(), Bodies());
  take(form, "more");
  while (form.rest(piece_) != OtelForm::Clock::time_point::max()) continue;
  EXPECT_GE(OtelForm::Clock::now(), until);
  EXPECT_EQ(bodies(), (Bodies{"a\nmore"}));
}

TEST_F(OtelFormTest, TheIdOfARecordIsTheSameInEachReading) {
  const auto ids = [this](const Bodies& lines, std::uint64_t time) {
    OtelForm form("f", {}, false);
    for (const std::string& line : lines) take(form, line, true, time);
    std::vector<std::string> all;
    for (const auto& record : records()) all.emplace_back(record.at("spanId").as_string());
    return all;
  };
  const auto all = ids({"a", "b", "a", ""}, 1);
  EXPECT_EQ(ids({"a", "b", "a", ""}, 1), all);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 4U);
  EXPECT_FALSE(all.at(0) == ids({"a"}, 2).at(0));
  EXPECT_EQ(ids({"b"}, 1).at(0), all.at(1)) << "of a reading that begins at the second";
}

TEST_F(OtelFormTest, NoMoreBytesThanWholeRecordsHave) {
  OtelForm one("f", {}, false);
  take(one, "one"), take(one, "two");
  const std::string all = piece_.bytes;
  const std::size_t first = all.find('\n') + 1;
  for (const std::uint64_t limit :
       {std::uint64_t{1}, first - 1, first, first + 1, all.size() - 1, all.size()}) {
    OtelForm form("f", {.limit_bytes = limit}, false);
    piece_ = {};
    take(form, "one"), take(form, "two"), take(form, "three");
    form.finish(piece_);
    EXPECT_EQ(piece_.bytes, all.substr(0, limit < first        ? 0
                                          : limit < all.size() ? first
                                                               : all.size()))
        << limit;
    EXPECT_TRUE(piece_.end) << limit;
  }
  OtelForm form("f", {.limit_bytes = all.size() + 1}, false);
  piece_ = {};
  take(form, "one"), take(form, "two");
  EXPECT_FALSE(piece_.end);
}

}  // namespace
}  // namespace flowtap
