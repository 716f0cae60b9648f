#include "daemon/stream/follow_watch.hpp"

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <array>
#include <cerrno>
#include <exception>

namespace flowtap {
namespace {

// How late somebody is told whose time has come though nothing was appended: who waits for that, waits for a gap.
constexpr int kLook = 200;  // ms

}  // namespace

Result<std::unique_ptr<FollowWatch>> FollowWatch::start() {
  Fd epoll(::epoll_create1(EPOLL_CLOEXEC));
  Fd stop(::eventfd(0, EFD_CLOEXEC));
  if (!epoll.valid() || !stop.valid()) return fail_errno(errno, "cannot watch for followers");
  epoll_event event{.events = EPOLLIN, .data = {.fd = stop.get()}};
  if (::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, stop.get(), &event) != 0)
    return fail_errno(errno, "cannot watch for followers");
  std::unique_ptr<FollowWatch> watch(new FollowWatch(std::move(epoll), std::move(stop)));
  watch->thread_ = std::thread([raw = watch.get()] { raw->run(); });
  return watch;
}

FollowWatch::~FollowWatch() {
  const std::uint64_t one = 1;
  // An eventfd takes its first write always.
  [[maybe_unused]] const ssize_t written = ::write(stop_.get(), &one, sizeof(one));
  if (thread_.joinable()) thread_.join();
}

void FollowWatch::once(const std::shared_ptr<flow::Follower>& follower, std::function<void()> wake,
                       Clock::time_point latest) {
  const std::scoped_lock lock(mutex_);
  const int fd = follower->fd();
  const bool known = waiting_.contains(fd);
  waiting_[fd] = {follower, std::move(wake), latest};
  if (latest != Clock::time_point::max()) any_latest_ = true;
  epoll_event event{.events = EPOLLIN | EPOLLONESHOT, .data = {.fd = fd}};
  if (::epoll_ctl(epoll_.get(), known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event) == 0) return;
  // Out of memory for a watch: let it look, rather than never.
  call(waiting_[fd]);
}

void FollowWatch::call(Waiting& waiting) {
  if (!waiting.wake) return;
  waiting.follower->taken();
  try {
    std::exchange(waiting.wake, nullptr)();
  } catch (const std::exception&) {
    return;  // no memory to tell it; it is told with the next append
  }
}

void FollowWatch::forget(const flow::Follower& follower) {
  const std::scoped_lock lock(mutex_);
  if (waiting_.erase(follower.fd()) > 0) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, follower.fd(), nullptr);
}

void FollowWatch::later(const void* who, std::function<void()> wake, Clock::time_point at) {
  const std::scoped_lock lock(mutex_);
  late_.insert_or_assign(who, Late{std::move(wake), at});
}

void FollowWatch::forget(const void* who) {
  const std::scoped_lock lock(mutex_);
  late_.erase(who);
}

void FollowWatch::wake(int fd) {
  const std::scoped_lock lock(mutex_);
  if (const auto at = waiting_.find(fd); at != waiting_.end()) call(at->second);
}

void FollowWatch::wake_late() {
  const std::scoped_lock lock(mutex_);
  const auto now = Clock::now();
  std::erase_if(late_, [now](auto& late) {
    if (late.second.at > now) return false;
    try {
      late.second.wake();
    } catch (const std::exception&) {  // no memory to tell it: with the next look
      return false;
    }
    return true;
  });
  if (!any_latest_) return;
  any_latest_ = false;
  for (auto& [fd, waiting] : waiting_) {
    if (!waiting.wake || waiting.latest == Clock::time_point::max()) continue;
    if (waiting.latest <= now)
      call(waiting);
    else
      any_latest_ = true;
  }
}

void FollowWatch::run() noexcept {
  ::pthread_setname_np(::pthread_self(), "ftap-follow");
  std::array<epoll_event, 64> events{};
  while (true) {
    const int n = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), kLook);
    for (int i = 0; i < n; ++i) {
      const int fd = events.at(static_cast<std::size_t>(i)).data.fd;
      if (fd == stop_.get()) return;
      wake(fd);
    }
    wake_late();
  }
}

}  // namespace flowtap
