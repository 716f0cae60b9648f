#include "stream/idle_settings.hpp"

#include <fcntl.h>

#include "base/printable.hpp"
#include "identity/root_dir.hpp"

namespace flowtap {
namespace {

// Nobody means a directory by a file; one that is not there yet may still become either.
bool is_directory(const identity::RootDir& root, const std::string& path) {
  return root.open_below(path, O_PATH | O_DIRECTORY | O_CLOEXEC).has_value();
}

}  // namespace

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

std::vector<std::string> listed_directories(const StreamOptions& options, const std::string& host_root) {
  std::vector<std::string> listed;
  if (const auto root = identity::RootDir::open(host_root))
    for (const std::string& file : options.sources.files)
      if (is_directory(*root, file))
        listed.push_back("stream.files: " + in_quotes(file) + " is a directory; list each file in it");
  return listed;
}

}  // namespace flowtap
