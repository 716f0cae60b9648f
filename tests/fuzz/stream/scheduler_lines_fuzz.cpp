// Any bytes as a scheduler's stream, in writes of a size that the first byte gives: no byte is lost, a record has one answer
// whatever size the writes have, and a flow's id is made of names that Kubernetes allows.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stream/lines/line_assembler.hpp"
#include "stream/lines/scheduler_lines.hpp"
#include "tests/fuzz/require.hpp"

using namespace flowtap::flow;
using flowtap::fuzz::require;

namespace {

struct Line {
  std::string text;
  std::string flow;
  std::uint64_t record = 0;
  Level level = 0;

  friend bool operator==(const Line&, const Line&) = default;
};

void check_flow(std::string_view flow) {
  if (flow.empty()) return;
  const std::size_t slash = flow.find('/');
  require(slash != std::string_view::npos);
  require(is_dns_label(flow.substr(0, slash)) && is_dns_subdomain(flow.substr(slash + 1)));
}

std::vector<Line> lines_of(std::string_view text, std::size_t write) {
  std::vector<Line> out;
  SchedulerLines lines;
  LineAssembler assembler;
  std::uint64_t end = 0;
  const auto take = [&](const SchedulerLine& line) {
    const LineView& view = line.line.line;
    require(view.begin == end && view.text.size() + (view.full ? 1 : 0) == view.end - view.begin);
    end = view.end;
    check_flow(line.flow);
    if (!out.empty() && out.back().record == line.line.record)
      require(out.back().flow == line.flow && out.back().level == line.level && !line.line.first);
    out.push_back({std::string(view.text) + (view.full ? "\n" : ""), std::string(line.flow), line.line.record,
                   line.level});
  };
  const auto add = [&](const LineView& view) { lines.add(view, take); };
  for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(std::min(write, rest.size())))
    assembler.add(rest.substr(0, write), 0, add);
  assembler.finish(add);
  lines.flush(take);
  require(end == text.size() && lines.held() == 0);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto whole = lines_of(text, text.size());
  std::string joined;
  for (const Line& line : whole) joined += line.text;
  require(joined == text);
  require(lines_of(text, 1U + data[0]) == whole);
  return 0;
}
