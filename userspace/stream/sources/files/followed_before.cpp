#include "stream/sources/files/followed_before.hpp"

#include <algorithm>
#include <unordered_set>

#include "identity/root_dir.hpp"

namespace flowtap {
namespace {

constexpr std::size_t kMostNames = 65'536;

}  // namespace

std::optional<FollowedBefore> followed_before(const flow::StreamView& stream) {
  auto notes = notes_of(stream);
  if (!notes) return std::nullopt;
  return FollowedBefore{stream.number, stream.name->inode, stream.sums.passed, std::move(*notes)};
}

std::optional<FollowedBefore> followed_before(const flow::Journal& journal, const std::string& flow,
                                              const kernel::OpenFile& file, std::int64_t born) {
  std::optional<FollowedBefore> found;
  for (const flow::StreamView& stream : journal.streams_of(flow)) {
    if (stream.name->inode != file.inode || stream.name->device != file.device ||
        (found && found->stream > stream.number))
      continue;
    auto known = followed_before(stream);
    if (known && known->notes.born == born) found = std::move(known);
  }
  return found;
}

std::vector<FollowedBefore> still_tapped(const flow::Journal& journal, const std::string& flow,
                                         const std::vector<flow::StreamSlot>& slots) {
  std::unordered_set<flow::StreamNo> open;
  for (const flow::StreamSlot& slot : slots)
    if (!slot.ended) open.insert(slot.stream);
  std::vector<FollowedBefore> all;
  for (const flow::StreamView& stream : journal.streams_of(flow)) {
    if (!open.contains(stream.number)) continue;
    if (auto known = followed_before(stream)) all.push_back(std::move(*known));
  }
  std::ranges::sort(all, {}, &FollowedBefore::stream);
  return all;
}

bool is_known(const flow::Journal& journal, const std::string& flow) {
  return !journal.streams_of(flow).empty();
}

std::unordered_map<std::uint64_t, std::string> names_by_inode(PathWalk& walk, const std::string& directory) {
  std::unordered_map<std::uint64_t, std::string> all;
  const auto reached = walk.to(directory);
  if (!reached) return all;
  const auto here = identity::RootDir::open("/proc/self/fd/" + std::to_string(reached->place.get()));
  const auto names = here ? here->list(".", kMostNames) : std::unexpected(here.error());
  if (!names) return all;
  for (const std::string& name : *names)
    if (const auto inode = here->inode(name)) all.emplace(*inode, name);
  return all;
}

}  // namespace flowtap
