#include "stream/flows_room.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "stream/flows_directory.hpp"
#include "stream/journal/journal_segment.hpp"
#include "stream/store/file_name.hpp"

namespace flowtap {
namespace {

namespace fs = std::filesystem;

struct File {
  std::string path;
  std::uint64_t order = 0;  // the lowest goes first
  std::uint64_t bytes = 0;  // that it takes
};

// The files that `order` gives a place.
template <typename Order>
std::vector<File> files_in(const std::string& directory, Order order) {
  std::vector<File> files;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    struct stat here{};
    if (::lstat(at->path().c_str(), &here) != 0 || !S_ISREG(here.st_mode)) continue;
    constexpr std::uint64_t kBlock = 512;  // stat(2)
    if (const auto place = order(at->path().filename().string(), here))
      files.push_back({at->path(), *place, static_cast<std::uint64_t>(here.st_blocks) * kBlock});
  }
  std::ranges::sort(files, {}, &File::order);
  return files;
}

using Place = std::optional<std::uint64_t>;

Place by_age(const std::string& name, const struct stat& file) {
  if (!name.ends_with(flow::kFlowSuffix)) return std::nullopt;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(file.st_mtim.tv_sec, 0));
}

Place by_number(const std::string& name, const struct stat& /*file*/) {
  const auto number = flow::Segment::number_of(name);
  return number ? Place(*number) : std::nullopt;
}

}  // namespace

std::uint64_t remove_oldest_files(const std::string& flows, std::uint64_t bytes) {
  std::vector<File> files = files_in(flows, by_age);
  std::vector<File> segments = files_in(flows + "/" + kJournalDirectory, by_number);
  if (!segments.empty()) segments.pop_back();
  files.insert(files.end(), segments.begin(), segments.end());
  std::uint64_t removed = 0;
  for (const File& file : files) {
    if (removed >= bytes) break;
    if (::unlink(file.path.c_str()) == 0) removed += file.bytes;
  }
  return removed;
}

}  // namespace flowtap
