#include "stream/flows_strangers.hpp"

#include <sys/stat.h>
#include <sys/statfs.h>

#include <filesystem>
#include <system_error>

#include "base/printable.hpp"
#include "stream/memory/memory_limit.hpp"
#include "stream/store/file_name.hpp"

namespace flowtap {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostLooked = 10'000;  // files of others
constexpr std::uint64_t kBlock = 512;        // what stat(2) counts in

std::uint64_t size_of(const fs::path& path) {
  struct stat there{};
  return ::lstat(path.c_str(), &there) == 0 ? static_cast<std::uint64_t>(there.st_blocks) * kBlock : 0;
}

std::uint64_t size_of_all(const fs::path& top, std::size_t& left) {
  std::uint64_t bytes = size_of(top);
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(top, error))) return bytes;
  fs::recursive_directory_iterator below(top, error);
  for (; !error && below != fs::recursive_directory_iterator() && left > 0; below.increment(error), --left)
    bytes += size_of(below->path());
  return bytes;
}

}  // namespace

Strangers strangers_in(const std::string& dir) {
  Strangers all;
  std::uint64_t most = 0;
  std::size_t left = kMostLooked;
  std::error_code error;
  fs::directory_iterator entry(dir, error);
  for (; !error && entry != fs::directory_iterator() && left > 0; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.') || name.ends_with(flow::kFlowSuffix)) continue;
    --left;
    const std::uint64_t bytes = size_of_all(entry->path(), left);
    all.bytes += bytes;
    if (!all.largest.empty() && bytes <= most) continue;
    all.largest = name;
    most = bytes;
  }
  return all;
}

// What others have is looked at only where room is short.
Status check_strangers(const std::string& place, const std::string& path) {
  constexpr std::uint64_t kShort = 4;  // the part that is free, at least
  constexpr std::uint64_t kMuch = 8;   // the part that others have, at least
  struct statfs there{};
  if (::statfs(place.c_str(), &there) != 0) return {};
  const std::uint64_t unit = static_cast<std::uint64_t>(there.f_bsize);
  const std::uint64_t all = there.f_blocks * unit;
  if (there.f_bavail * unit >= all / kShort) return {};
  const Strangers strangers = strangers_in(place);
  if (strangers.bytes < all / kMuch || strangers.largest.empty()) return {};
  return fail(path + " is nearly full, and " + in_quotes(strangers.largest) +
                  " there is not flowtapd's: what is captured may find no room, and is then not there after "
                  "a restart",
              "remove what is not flowtapd's (" + mib(strangers.bytes) + "): ls -la " + path);
}

}  // namespace flowtap
