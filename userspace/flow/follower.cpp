#include "flow/follower.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

namespace flowtap::flow {

Result<std::shared_ptr<Follower>> Follower::create(std::vector<StreamNo> streams) {
  Fd fd(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!fd.valid()) return fail_errno(errno, "cannot make an eventfd for a follower");
  return std::shared_ptr<Follower>(new Follower(std::move(fd), std::move(streams)));
}

void Follower::taken() {
  // First empty, then ready to be told again: the other way round, what tell() wrote in between would be swallowed here
  // with told_ set, and nobody would write again.
  std::uint64_t count = 0;
  static_cast<void>(!::read(fd_.get(), &count, sizeof count));
  told_.exchange(false, std::memory_order_acq_rel);
}

void Follower::tell(std::span<const StreamNo> streams) {
  if (!streams_.empty() && std::ranges::find_first_of(streams, streams_) == streams.end()) return;
  if (told_.exchange(true, std::memory_order_acq_rel)) return;
  const std::uint64_t one = 1;
  static_cast<void>(!::write(fd_.get(), &one, sizeof one));
}

void Followers::add(const std::shared_ptr<Follower>& follower) {
  const std::scoped_lock lock(mutex_);
  followers_.push_back(follower);
}

void Followers::tell(std::span<const StreamNo> streams) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(followers_, [&](const std::weak_ptr<Follower>& weak) {
    const auto follower = weak.lock();
    if (follower) follower->tell(streams);
    return !follower;
  });
}

std::size_t Followers::size() const {
  const std::scoped_lock lock(mutex_);
  return static_cast<std::size_t>(
      std::ranges::count_if(followers_, [](const auto& weak) { return !weak.expired(); }));
}

}  // namespace flowtap::flow
