#include "stream/memory/flows_room.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "stream/store/file_name.hpp"

namespace flowtap {
namespace {

namespace fs = std::filesystem;

struct Log {
  std::string path;
  std::int64_t written = 0;  // last, in seconds
  std::uint64_t bytes = 0;   // that it takes
};

std::vector<Log> logs_in(const std::string& directory) {
  std::vector<Log> logs;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    struct stat here{};
    if (!at->path().native().ends_with(flow::kFlowSuffix) || ::lstat(at->path().c_str(), &here) != 0 ||
        !S_ISREG(here.st_mode))
      continue;
    constexpr std::uint64_t kBlock = 512;  // stat(2)
    logs.push_back({at->path(), here.st_mtim.tv_sec, static_cast<std::uint64_t>(here.st_blocks) * kBlock});
  }
  std::ranges::sort(logs, {}, &Log::written);
  return logs;
}

}  // namespace

std::uint64_t remove_oldest_logs(const std::string& flows, std::uint64_t bytes) {
  std::uint64_t removed = 0;
  for (const Log& log : logs_in(flows)) {
    if (removed >= bytes) break;
    if (::unlink(log.path.c_str()) == 0) removed += log.bytes;
  }
  return removed;
}

}  // namespace flowtap
