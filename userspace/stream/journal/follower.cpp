#include "stream/journal/follower.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace flowtap::flow {

Result<std::shared_ptr<Follower>> Follower::create(std::vector<StreamNo> streams) {
  FTAP_TRY_ASSIGN(event, EventFd::create());
  return std::shared_ptr<Follower>(new Follower(std::move(event), std::move(streams)));
}

Result<std::shared_ptr<Follower>> Follower::of_flow(std::string flow) {
  FTAP_TRY_ASSIGN(follower, create({}));
  follower->flow_ = std::move(flow);
  return follower;
}

std::shared_ptr<Follower> Follower::called(std::vector<StreamNo> streams) {
  return std::shared_ptr<Follower>(new Follower(EventFd(), std::move(streams)));
}

void Follower::taken() {
  // First empty, then ready to be told again: the other way round, what tell() wrote in between would be swallowed here
  // with told_ set, and nobody would write again.
  event_.take();
  told_.exchange(false, std::memory_order_acq_rel);
}

void Follower::tell(std::span<const StreamNo> streams) {
  const bool all = streams_.empty() && flow_.empty();
  if (!all && std::ranges::find_first_of(streams, streams_) == streams.end()) return;
  if (!event_.valid()) return call();
  if (told_.exchange(true, std::memory_order_acq_rel)) return;
  event_.tell();
}

void Follower::join(StreamNo stream) {
  if (std::ranges::find(streams_, stream) == streams_.end()) streams_.push_back(stream);
  joined_ = true;
}

void Follower::call() {
  const std::scoped_lock lock(mutex_);
  if (wake_)
    call(std::exchange(wake_, nullptr));
  else
    told_ = true;
}

void Follower::once(std::function<void()> wake) {
  const std::scoped_lock lock(mutex_);
  if (told_.exchange(false))
    call(std::move(wake));
  else
    wake_ = std::move(wake);
}

void Follower::call(std::function<void()> wake) noexcept {
  try {
    wake();
  } catch (const std::exception&) {  // no memory to tell it: it is told with the next append
    wake_ = std::move(wake);
  }
}

void Follower::forget() {
  const std::scoped_lock lock(mutex_);
  wake_ = nullptr;
}

void Followers::add(const std::shared_ptr<Follower>& follower, Hurry hurry) {
  if (hurry == Hurry::kYes) {
    ++*in_hurry_;
    follower->counted_ = std::shared_ptr<void>(nullptr, [count = in_hurry_](void*) { --*count; });
  }
  const std::scoped_lock lock(mutex_);
  followers_.push_back(follower);
}

void Followers::tell(std::span<const StreamNo> streams, std::span<const StreamEntry> named) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(followers_, [&](const std::weak_ptr<Follower>& weak) {
    const auto follower = weak.lock();
    if (!follower) return true;
    if (!follower->flow().empty())
      for (const StreamEntry& stream : named)
        if (stream.name.flow == follower->flow()) follower->join(stream.stream);
    follower->tell(streams);
    return false;
  });
}

}  // namespace flowtap::flow
