#include "stream/sources/files/file_generations.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "base/wall_clock.hpp"
#include "stream/sources/files/followed_before.hpp"

namespace flowtap {
namespace {

using namespace std::chrono_literals;

// A writer goes on in a file that was moved away until it is told to open the new one.
constexpr auto kStillWritten = 60s;
// A file that was removed keeps its disk space as long as it is held open.
constexpr auto kRemoved = 5s;
constexpr std::size_t kMostGenerations = 16;
// There are 16,384 slots. A slot rests for some seconds, so this is how many files a path can have in that time.
constexpr std::size_t kMostHeld = 64;

}  // namespace

Status FileGenerations::follow(const OpenedFile& file, bool from_end) {
  for (const Generation& known : all_)
    if (known.identity == file.identity) return {};
  if (!has_room()) return fail("there are too many files of that name at once");
  if (all_.size() >= kMostGenerations) let_oldest_go();
  FTAP_TRY_ASSIGN(place, kit_.files.own_file(file.fd->get()));
  const auto known = followed_before(kit_.journal, flow_, place, file.identity.born);
  flow::StreamNo stream = 0;
  FTAP_TRY(kit_.streams.add([&]() -> Result<flow::FileStreams::Added> {
    FTAP_TRY_ASSIGN(tapped, kit_.slots.kernel().open({.device = place.device,
                                                      .inode = place.inode,
                                                      .kind = FTAP_KIND_FILE,
                                                      .cgroup = 0,
                                                      .pid = 0,
                                                      .fds = FTAP_STDOUT | FTAP_STDERR}));
    stream = tapped;
    flow::FileStream::Start start{.stream = stream, .tapped_from = file.size, .tapped_at = wall_ns()};
    if (from_end) start.position = file.size;
    if (known) {
      start.position = known->position();
      if (known->stream == stream) {
        start.offset = known->passed;
        start.step = known->notes.place.step;
      }
    } else if (const auto taken = kit_.journal.stream(stream)) {
      start.offset = taken->sums.passed;  // somebody's output was captured there: it goes on as this file
    }
    return flow::FileStreams::Added{
        start, flow_,
        std::make_unique<FollowedFile>(file.fd, path_, file.identity.born, place.device, place.inode)};
  }));
  if (!all_.empty()) all_.back().changed = Clock::now();
  all_.push_back({file.identity, file.fd, stream, Clock::now(), file.size});
  held_.push_back({stream, file.fd});
  return {};
}

bool FileGenerations::has_room() const {
  return held_.size() < kMostHeld;
}

void FileGenerations::let_oldest_go() {
  for (const flow::StreamSlot& slot : kit_.slots.sweep())
    if (slot.stream == all_.front().stream) (void)kit_.slots.end(slot);
  all_.pop_front();
}

void FileGenerations::retire(const std::vector<flow::StreamSlot>& slots) {
  const auto slot_of = [&slots](flow::StreamNo stream) {
    return std::ranges::find(slots, stream, &flow::StreamSlot::stream);
  };
  const auto now = Clock::now();
  std::erase_if(all_, [&](Generation& generation) {
    const auto slot = slot_of(generation.stream);
    if (slot == slots.end() || slot->ended) return true;
    struct stat status{};
    if (::fstat(generation.fd->get(), &status) != 0) return false;
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (size != std::exchange(generation.size, size)) generation.changed = now;
    const bool at_path = &generation == &all_.back() && status.st_nlink > 0;
    if (at_path || now - generation.changed <= (status.st_nlink == 0 ? kRemoved : kStillWritten))
      return false;
    (void)kit_.slots.end(*slot);
    return true;
  });
  std::erase_if(held_,
                [&](const Held& held) { return held.fd.expired() && slot_of(held.stream) == slots.end(); });
}

void FileGenerations::end() {
  for (const flow::StreamSlot& slot : kit_.slots.sweep())
    if (follows(slot.stream)) (void)kit_.slots.end(slot);
  all_.clear();
}

bool FileGenerations::follows(flow::StreamNo stream) const {
  return std::ranges::find(all_, stream, &Generation::stream) != all_.end();
}

bool FileGenerations::is_latest(const FileIdentity& file) const {
  return !all_.empty() && all_.back().identity == file;
}

}  // namespace flowtap
