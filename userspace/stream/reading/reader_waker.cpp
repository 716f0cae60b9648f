#include "stream/reading/reader_waker.hpp"

#include <pthread.h>
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>

namespace flowtap {
namespace {

constexpr std::chrono::milliseconds kAgain(200);
// The longest sleep. If something is due later, it is looked at again then.
constexpr std::chrono::milliseconds kLongest(std::chrono::hours(1));

}  // namespace

Result<std::unique_ptr<ReaderWaker>> ReaderWaker::start() {
  Fd epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll.valid()) return fail_errno(errno, "cannot wait for followers");
  FTAP_TRY_ASSIGN(stop, EventFd::create());
  FTAP_TRY_ASSIGN(sooner, EventFd::create());
  for (const int fd : {stop.get(), sooner.get()}) {
    epoll_event event{.events = EPOLLIN, .data = {.fd = fd}};
    if (::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd, &event) != 0)
      return fail_errno(errno, "cannot wait for followers");
  }
  std::unique_ptr<ReaderWaker> waker(new ReaderWaker(std::move(epoll), std::move(stop), std::move(sooner)));
  waker->thread_ = std::thread([raw = waker.get()] { raw->run(); });
  return waker;
}

ReaderWaker::~ReaderWaker() {
  stop_.tell();
  if (thread_.joinable()) thread_.join();
}

void ReaderWaker::once(const std::shared_ptr<flow::Follower>& follower, std::function<void()> wake,
                       Clock::time_point latest) {
  wait(follower->fd(), {follower, std::move(wake), latest});
}

void ReaderWaker::once_ended(const Fd& process, std::function<void()> wake) {
  wait(process.get(), {nullptr, std::move(wake), Clock::time_point::max()});
}

void ReaderWaker::wait(int fd, Waiting waiting) {
  const std::scoped_lock lock(mutex_);
  const bool known = waiting_.contains(fd);
  look_by(waiting.latest);
  waiting_[fd] = std::move(waiting);
  epoll_event event{.events = EPOLLIN | EPOLLONESHOT, .data = {.fd = fd}};
  if (::epoll_ctl(epoll_.get(), known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event) == 0) return;
  // There is no memory to wait with, so the reader looks again now rather than never.
  call(waiting_[fd]);
}

void ReaderWaker::call(Waiting& waiting) {
  if (!waiting.wake) return;
  if (waiting.follower) waiting.follower->taken();
  try {
    std::exchange(waiting.wake, nullptr)();
  } catch (const std::exception&) {
    return;  // no memory to tell the reader; it is told with the next append
  }
}

void ReaderWaker::forget(const flow::Follower& follower) {
  forget(follower.fd());
}

void ReaderWaker::forget_end(const Fd& process) {
  forget(process.get());
}

void ReaderWaker::forget(int fd) {
  const std::scoped_lock lock(mutex_);
  if (waiting_.erase(fd) > 0) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

void ReaderWaker::later(const void* who, std::function<void()> wake, Clock::time_point at) {
  const std::scoped_lock lock(mutex_);
  late_.insert_or_assign(who, Late{std::move(wake), at});
  look_by(at);
}

// To be called under the mutex.
void ReaderWaker::look_by(Clock::time_point at) {
  if (at >= next_look_) return;
  next_look_ = at;
  sooner_.tell();
}

void ReaderWaker::forget(const void* who) {
  const std::scoped_lock lock(mutex_);
  late_.erase(who);
}

void ReaderWaker::wake(int fd) {
  const std::scoped_lock lock(mutex_);
  if (const auto at = waiting_.find(fd); at != waiting_.end()) call(at->second);
}

void ReaderWaker::wake_late() {
  const std::scoped_lock lock(mutex_);
  const auto now = Clock::now();
  if (now < next_look_) return;
  next_look_ = Clock::time_point::max();
  std::erase_if(late_, [&](const auto& late) {
    Clock::time_point again = late.second.at;
    if (again <= now) {
      try {
        late.second.wake();
        return true;
      } catch (const std::exception&) {  // no memory to tell it
        again = now + kAgain;
      }
    }
    next_look_ = std::min(next_look_, again);
    return false;
  });
  for (auto& [fd, waiting] : waiting_) {
    if (!waiting.wake) continue;
    if (waiting.latest <= now)
      call(waiting);
    else
      next_look_ = std::min(next_look_, waiting.latest);
  }
}

// How long nothing is due; -1: for ever.
int ReaderWaker::patience() {
  const std::scoped_lock lock(mutex_);
  if (next_look_ == Clock::time_point::max()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_look_ - Clock::now());
  return static_cast<int>(std::clamp(left, std::chrono::milliseconds(0), kLongest).count());
}

void ReaderWaker::run() noexcept {
  ::pthread_setname_np(::pthread_self(), "ftap-follow");
  std::array<epoll_event, 64> events{};
  while (true) {
    const int n = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), patience());
    ++looks_;
    for (int i = 0; i < n; ++i) {
      const int fd = events.at(static_cast<std::size_t>(i)).data.fd;
      if (fd == stop_.get()) return;
      if (fd == sooner_.get())
        sooner_.take();
      else
        wake(fd);
    }
    wake_late();
  }
}

}  // namespace flowtap
