#include "stream/sources/unseen_containers.hpp"

#include <algorithm>
#include <ctime>
#include <set>

#include "base/wall_clock.hpp"
#include "stream/sources/running_containers.hpp"

namespace flowtap {
namespace {

constexpr auto kBeingMade = std::chrono::seconds(1);
// Each look goes through all open files of the node. The pause is longer than the making of a container takes.
constexpr auto kMissedPause = std::chrono::seconds(2);
constexpr auto kLongestMissedPause = std::chrono::seconds(60);

std::uint64_t since_boot_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_BOOTTIME, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

}  // namespace

Status UnseenContainers::find(std::chrono::nanoseconds youngest) {
  if (files_ == nullptr) return {};
  FTAP_TRY_ASSIGN(files, files_->list());
  no_slot_ = false;
  const std::uint64_t born_before = since_boot_ns() - static_cast<std::uint64_t>(youngest.count());
  std::set<flow::StreamNo> before;  // an earlier service's
  for (const flow::StreamSlot& slot : slots_.sweep()) before.insert(slot.stream);
  Begun begun;
  for (RunningContainer& enter : find_running_containers(files)) {
    if (enter.start_time > born_before) continue;
    auto& [out, err] = enter.outputs;
    const bool one_place = out.device == err.device && out.inode == err.inode;
    for (flow::Enter::Output* output : {&out, &err}) {
      if (output->kind != FTAP_KIND_PIPE && output->kind != FTAP_KIND_TTY) continue;
      const std::uint32_t own = output == &out ? FTAP_STDOUT : FTAP_STDERR;
      const auto stream = slots_.kernel().open({.device = output->device,
                                                .inode = output->inode,
                                                .kind = output->kind,
                                                .cgroup = enter.cgroup,
                                                .pid = enter.pid,
                                                .fds = one_place ? FTAP_STDOUT | FTAP_STDERR : own});
      if (!stream) {
        no_slot_ = true;
        continue;
      }
      output->stream = *stream;
      if (!before.contains(*stream)) begun.emplace(*stream, wall_ns());
    }
    (void)slots_.kernel().mark(enter.cgroup, enter.mounts);
    // The journal has the names of what an earlier service followed. What cannot be followed is listed all the same.
    const auto known = [this](const flow::Enter::Output& o) {
      const auto stream = journal_.stream(o.stream);
      return stream && stream->name;
    };
    if (!known(out) || !known(err)) consumer_.enter(std::move(enter));
  }
  tell_(begun);
  return {};
}

// While a task is preempted within the program at exec, the kernel does not run the program for others on that CPU. A
// container that began then is in no table, and is found in the same way as those that ran before flowtapd. What it
// wrote meanwhile is in its runtime's file. Its runtime may still be setting up a container that is very young. The
// program then sees it after all; if not, the second look finds it.
//
// Containers for which there was no slot are found here, too. While flowtapd was away, many may have ended, and they
// keep their slots until flowtapd has noted them.
bool UnseenContainers::look_around(std::uint64_t exec_misses) {
  const auto refused = slots_.kernel().no_slot();
  if (exec_misses != exec_misses_ || refused != refused_) missed_looks_ = 2;
  exec_misses_ = exec_misses;
  refused_ = refused;
  if (Clock::now() < next_look_ || (missed_looks_ == 0 && !no_slot_)) return false;
  // If there is no slot, the next look has none either, unless something has ended.
  pause_ = no_slot_ ? std::min<Clock::duration>(pause_ * 2, kLongestMissedPause) : kMissedPause;
  next_look_ = Clock::now() + pause_;
  if (find(kBeingMade) && missed_looks_ > 0) --missed_looks_;
  return true;
}

}  // namespace flowtap
