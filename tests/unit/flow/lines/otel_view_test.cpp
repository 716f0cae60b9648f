#include "flow/lines/otel_view.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "flow/lines/klog_record.hpp"

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
      "E0821 07:20:00.000001       1 a.go:1] \"can \\\"not\\\"\" err=<\n\ttwo\n\tlines\n > pod=\"ns/p\" n=3");
  const OtelRecord view = otel_view("sched/ns/p", "stream", 7, *record);
  EXPECT_EQ(view.trace, trace_id("sched/ns/p"));
  EXPECT_EQ(view.span, span_id("stream", 7));
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

TEST(OtelView, JsonHasNoSeverityButErrorsHaveNoV) {
  const auto info = parse_klog_record(R"({"ts":1.5,"caller":"a.go:1","msg":"m\n","v":0,"k":"\u00e4"})");
  EXPECT_EQ(otel_view("f", "s", 0, *info).severity_text, "INFO");
  EXPECT_EQ(otel_view("f", "s", 0, *info).body, "m\n");
  EXPECT_EQ(
      otel_view("f", "s", 0, *info).attributes,
      (Attributes{{"code.file.path", "a.go"}, {"code.line.number", "1"}, {"v", "0"}, {"k", "\xc3\xa4"}}));
  const auto error = parse_klog_record(R"({"ts":1.5,"caller":"a.go:1","msg":"m","err":"x"})");
  EXPECT_EQ(otel_view("f", "s", 0, *error).severity, 17);
}

// Ids are written down elsewhere: they are the same in every build.
TEST(OtelView, IdsStayWhatTheyAre) {
  std::set<std::string> ids;
  for (int i = 0; i < 10'000; ++i) {
    ids.insert(hex(trace_id("sched/default/p" + std::to_string(i))));
    ids.insert(hex(span_id("stream", static_cast<std::uint64_t>(i))));
  }
  EXPECT_EQ(ids.size(), 20'000U);
  EXPECT_EQ(hex(trace_id("")).size(), 32U);
  EXPECT_EQ(hex(trace_id("sched/default/p")), "c6619779659df13906d4bab0d1a7d827");
  EXPECT_EQ(hex(span_id("stream", 7)), "6281e3157c087e1f");
}

}  // namespace
}  // namespace flowtap::flow
