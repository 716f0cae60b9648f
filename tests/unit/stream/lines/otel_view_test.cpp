#include "stream/lines/otel_view.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "stream/lines/klog/klog_record.hpp"

namespace flowtap::flow {
namespace {

template <typename Id>
std::string hex(const Id& id) {
  std::string out;
  for (const std::uint8_t byte : id) {
    out += "0123456789abcdef"[byte >> 4U];
    out += "0123456789abcdef"[byte & 15U];
  }
  return out;
}

using Attributes = std::vector<std::pair<std::string, std::string>>;

TEST(OtelView, ARecordOfAFlow) {
  const auto record = parse_klog_record(
      R"(E0821 07:20:00.000001       1 a.go:1] "can \"not\"" err="two\nlines\n" pod="ns/p" n=3)");
  const OtelView view = otel_view(*record);
  EXPECT_EQ(view.severity, 17);
  EXPECT_EQ(view.severity_text, "ERROR");
  EXPECT_EQ(view.body, "can \"not\"");
  EXPECT_EQ(view.attributes, (Attributes{{"process.pid", "1"},
                                         {"code.file.path", "a.go"},
                                         {"code.line.number", "1"},
                                         {"err", "two\nlines\n"},
                                         {"pod", "ns/p"},
                                         {"n", "3"}}));
}

TEST(OtelView, OfSeveralLinesNoneIsLeftOut) {
  const std::string header = "E0821 07:20:00.000001       1 a.go:1] ";
  const std::string block = "\"can not\" err=<\n\ttwo\n\tlines\n > pod=\"ns/p\"";
  const OtelView view = otel_view(*parse_klog_record(header + block));
  EXPECT_EQ(view.body, block);
  EXPECT_EQ(view.attributes.at(3), (Attributes::value_type{"err", "two\nlines\n"}));
  EXPECT_EQ(view.attributes.at(4), (Attributes::value_type{"pod", "ns/p"}));
  EXPECT_EQ(otel_view(*parse_klog_record(header + "free\ntext")).body, "free\ntext");
  const std::string json = R"({"ts":1.5,"caller":"a.go:1","msg":"m"})";
  EXPECT_EQ(otel_view(*parse_klog_record(json + "\ngoroutine 1")).body, json + "\ngoroutine 1");
}

TEST(OtelView, JsonHasNoSeverityButErrorsHaveNoV) {
  const auto info = parse_klog_record(R"({"ts":1.5,"caller":"a.go:1","msg":"m\n","v":0,"k":"\u00e4"})");
  EXPECT_EQ(otel_view(*info).severity_text, "INFO");
  EXPECT_EQ(otel_view(*info).body, "m\n");
  EXPECT_EQ(
      otel_view(*info).attributes,
      (Attributes{{"code.file.path", "a.go"}, {"code.line.number", "1"}, {"v", "0"}, {"k", "\xc3\xa4"}}));
  const auto named = parse_klog_record(R"({"ts":1.5,"logger":"nrtcache","caller":"a.go:1","msg":"m","v":4})");
  EXPECT_EQ(otel_view(*named).attributes.at(2), (Attributes::value_type{"logger", "nrtcache"}));
  const auto error = parse_klog_record(R"({"ts":1.5,"caller":"a.go:1","msg":"m","err":"x"})");
  EXPECT_EQ(otel_view(*error).severity, 17);
}

// Ids are written down elsewhere, so they must be the same in every build.
TEST(OtelView, IdsStayWhatTheyAre) {
  std::set<std::string> ids;
  for (int i = 0; i < 10'000; ++i) {
    ids.insert(hex(trace_id("sched/default/p" + std::to_string(i))));
    const auto n = static_cast<std::uint64_t>(i);
    ids.insert(hex(span_id("f", {n, 0, "stdout", "x"})));
    ids.insert(hex(span_id("f", {7, n + 1, "stdout", "x"})));
    ids.insert(hex(span_id("f", {7, 0, "stdout", std::to_string(i)})));
  }
  ids.insert(hex(span_id("g", {7, 0, "stdout", "x"})));
  ids.insert(hex(span_id("f", {7, 0, "stderr", "x"})));
  EXPECT_EQ(ids.size(), 40'002U);
  EXPECT_EQ(hex(trace_id("")).size(), 32U);
  EXPECT_EQ(hex(trace_id("sched/default/p")), "c6619779659df13906d4bab0d1a7d827");
  EXPECT_EQ(hex(span_id("sched/default/p", {7, 1, "stderr", "x"})), "2a91ac18170cf04c");
}

}  // namespace
}  // namespace flowtap::flow
