// What the tests of the flows' store share: a flow read back as lines, from its file and from the store.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "stream/lines/cri_line.hpp"
#include "stream/store/file_name.hpp"
#include "stream/store/flow_store.hpp"

namespace flowtap::flow {

/// "text" for a whole line, "text~" for a part, "<n>" for a gap; with "2:" in front if it is stderr's.
inline std::string shown(const CriLine& line) {
  const std::string where = line.output == "stderr" ? "2:" : "";
  if (line.missing) return where + "<" + std::to_string(*line.missing) + ">";
  return where + std::string(line.text) + (line.full ? "" : "~");
}

inline std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    const auto line = parse_cri_line(text.substr(0, newline));
    lines.push_back(line && newline != std::string_view::npos
                        ? shown(*line)
                        : "no line: " + std::string(text.substr(0, newline)));
    text.remove_prefix(std::min(newline, text.size() - 1) + 1);
  }
  return lines;
}

inline std::string file_of(const std::string& dir, const std::string& flow) {
  std::ifstream in(dir + "/" + flow_file_name(flow), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The whole log, read `limit` bytes at a time.
inline std::string log_of(const FlowStore& store, const std::string& flow, std::size_t limit = 1000) {
  const auto ref = store.find(flow);
  if (!ref) return {};
  std::string all;
  for (LogPosition at = 0;;) {
    const auto part = store.read(*ref, at, limit);
    EXPECT_TRUE(part) << part.error().what;
    if (!part) return all;
    EXPECT_TRUE(all.empty() || part->from == at) << "it was cut while it was read";
    if (part->next == part->from) return all;
    all += part->text;
    at = part->next;
  }
}

/// Adds a stream's lines as its bytes come.
class Writer {
 public:
  Writer(FlowStore& store, std::string flow, StreamNo stream, std::string output = "stdout")
      : store_(store), flow_(std::move(flow)), stream_(stream), output_(std::move(output)) {}

  /// The n-th line of this stream has the time of n seconds.
  void say(const std::string& text, FlowStore::Clock::time_point now = {}) {
    FlowStore::Writing writing(store_, now);
    const auto flow = writing.flow(flow_);
    if (!opened_) writing.open_stream(*flow);
    opened_ = true;
    const std::uint64_t end = at_ + text.size() + 1;
    writing.add(*flow, stream_, output_, {text, true, at_, end, ++lines_ * 1'000'000'000});
    at_ = end;
  }
  void end(std::uint64_t time, FlowStore::Clock::time_point now = {}) {
    FlowStore::Writing writing(store_, now);
    writing.end_stream(*writing.flow(flow_), time);
  }
  [[nodiscard]] std::uint64_t at() const { return at_; }

 private:
  FlowStore& store_;
  std::string flow_;
  StreamNo stream_;
  std::string output_;
  bool opened_ = false;
  std::uint64_t at_ = 0;
  std::uint64_t lines_ = 0;
};

}  // namespace flowtap::flow
