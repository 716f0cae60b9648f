#include "stream/idle_settings.hpp"

#include "base/printable.hpp"

namespace flowtap {

std::vector<std::string> idle_settings(const StreamOptions& options) {
  std::vector<std::string> idle;
  if (!options.enabled) return idle;
  const LineOptions& lines = options.lines;
  // A default is nobody's wish.
  if (lines.flows_bytes != kAutoSize && lines.flows.flow_bytes > lines.flows_bytes &&
      lines.flows.flow_bytes != LineOptions().flows.flow_bytes)
    idle.push_back("stream.flow_bytes (" + std::to_string(lines.flows.flow_bytes) +
                   ") bounds nothing: it is more than stream.flows_bytes (" +
                   std::to_string(lines.flows_bytes) + "), which all flows have together");
  if (lines.schedulers.logs.empty() && lines.schedulers.main_log != "off")
    idle.push_back("stream.main_log (" + printable(lines.schedulers.main_log) +
                   ") gets nothing: stream.schedulers is empty");
  return idle;
}

}  // namespace flowtap
