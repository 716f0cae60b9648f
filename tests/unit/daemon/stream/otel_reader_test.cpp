// Lines as OpenTelemetry has log records.
#include "daemon/stream/otel_reader.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <deque>
#include <map>

namespace flowtap {
namespace {

namespace json = boost::json;

std::map<std::string, std::string> attributes(const json::object& record) {
  std::map<std::string, std::string> all;
  for (const auto& one : record.at("attributes").as_array())
    all[std::string(one.at("key").as_string())] = one.at("value").at("stringValue").as_string();
  return all;
}
json::object record(std::string_view flow, std::string_view line) {
  return json::parse(otel_log_record(flow, line)).as_object();
}
std::string body(const json::object& record) {
  return std::string(record.at("body").at("stringValue").as_string());
}

using All = std::map<std::string, std::string>;

TEST(OtelLogRecord, ALineOfAContainer) {
  const auto line = record("pod/shop/web-0/3f1c/app/2", "2026-01-02T03:04:05.000000678Z GET /cart 200");
  EXPECT_EQ(line.at("timeUnixNano").as_string(), "1767323045000000678");
  EXPECT_EQ(body(line), "GET /cart 200");
  EXPECT_FALSE(line.contains("severityNumber")) << "it does not say so";
  EXPECT_EQ(line.at("traceId").as_string().size(), 32U);
  EXPECT_EQ(attributes(line), (All{{"k8s.namespace.name", "shop"},
                                   {"k8s.pod.name", "web-0"},
                                   {"k8s.pod.uid", "3f1c"},
                                   {"k8s.container.name", "app"},
                                   {"k8s.container.restart_count", "2"},
                                   {"flowtap.flow", "pod/shop/web-0/3f1c/app/2"}}));
}

// The keys of a scheduler's record are attributes, and the flow is the trace, whatever line of it.
TEST(OtelLogRecord, ARecordOfAScheduler) {
  const auto line = record(
      "sched/default/p",
      R"(2026-01-02T03:04:05.000000678Z E0821 07:20:00.000001       1 a.go:1] "can not" pod="default/p" n=3)");
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
  EXPECT_EQ(body(record("unit/a.service", "2026-01-02T03:04:05Z")), "");
  EXPECT_EQ(body(record("unit/a.service", "")), "");
  const auto line = record("sched/other/x", std::string("no time \xff \x1b[0m \"q\" \\ \0 end", 26));
  EXPECT_FALSE(line.contains("timeUnixNano"));
  EXPECT_EQ(body(line).substr(0, 12), "no time \\xff");
  EXPECT_EQ(attributes(line), (All{{"flowtap.flow", "sched/other/x"}}));
}

// Gives these pieces.
class Pieces final : public api::RawReader {
 public:
  explicit Pieces(std::deque<std::string> pieces) : pieces_(std::move(pieces)) {}
  [[nodiscard]] Result<Piece> read(std::size_t) override {
    Piece piece;
    if (!pieces_.empty()) {
      piece.bytes = pieces_.front();
      pieces_.pop_front();
    }
    piece.end = pieces_.empty();
    return piece;
  }
  void when_more(std::function<void()> wake) override { wake(); }

 private:
  std::deque<std::string> pieces_;
};

TEST(OtelReader, GivesEachLineOnceWhateverThePieces) {
  OtelReader reader("f", std::make_unique<Pieces>(std::deque<std::string>{"on", "e\ntw", "o", "\n\nlast"}));
  std::string all;
  bool end = false;
  for (int i = 0; i < 10 && !end; ++i) {
    const auto piece = reader.read(1000);
    ASSERT_TRUE(piece);
    EXPECT_TRUE(!piece->bytes.empty() || piece->again || piece->end);
    all += piece->bytes;
    end = piece->end;
  }
  EXPECT_TRUE(end);
  std::string bodies;
  while (!all.empty()) {
    const auto newline = all.find('\n');
    bodies += body(json::parse(all.substr(0, newline)).as_object()) + ",";
    all.erase(0, newline + 1);
  }
  EXPECT_EQ(bodies, "one,two,,last,");
}

}  // namespace
}  // namespace flowtap
