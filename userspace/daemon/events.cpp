#include "daemon/events.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace flowtap {
namespace {

Fd make_timer() {
  return Fd(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
}

void start_timer(const Fd& timer, std::chrono::nanoseconds period) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(period);
  const timespec each{seconds.count(), (period - seconds).count()};
  const itimerspec spec{each, each};
  ::timerfd_settime(timer.get(), 0, &spec, nullptr);
}

bool rang(const Fd& timer) {
  std::uint64_t ticks = 0;
  return ::read(timer.get(), &ticks, sizeof(ticks)) == sizeof(ticks);
}

}  // namespace

Result<Events> Events::open(std::chrono::milliseconds cycle, std::chrono::milliseconds look) {
  ::signal(SIGPIPE, SIG_IGN);
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
  if (const int err = ::pthread_sigmask(SIG_BLOCK, &set, nullptr); err != 0)
    return fail_errno(err, "cannot block signals");
  Fd signals(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals.valid()) return fail_errno(errno, "cannot open a signalfd");
  Fd timer = make_timer();
  Fd looks = make_timer();
  Fd watchdog = make_timer();
  if (!timer.valid() || !looks.valid() || !watchdog.valid())
    return fail_errno(errno, "cannot open a timerfd");
  Events events(std::move(signals), std::move(timer), std::move(looks), std::move(watchdog));
  start_timer(events.look_, look);
  events.set_cycle(cycle);
  return events;
}

void Events::set_cycle(std::chrono::milliseconds cycle) {
  start_timer(timer_, cycle);
}

void Events::set_watchdog(std::chrono::microseconds period) {
  start_timer(watchdog_, period);
}

Event Events::wait() {
  std::array<pollfd, 4> fds{{{signals_.get(), POLLIN, 0},
                             {watchdog_.get(), POLLIN, 0},
                             {look_.get(), POLLIN, 0},
                             {timer_.get(), POLLIN, 0}}};
  while (true) {
    if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) return Event::kStop;
    signalfd_siginfo info{};
    if (::read(signals_.get(), &info, sizeof(info)) == sizeof(info))
      return info.ssi_signo == SIGHUP ? Event::kReload : Event::kStop;
    // Checked before the ticks, which may come without a pause.
    if (rang(watchdog_)) return Event::kWatchdog;
    // A look around that takes as long as its period would otherwise keep the ticks away for ever.
    if (!std::exchange(looked_, false) && rang(look_)) {
      looked_ = true;
      return Event::kLook;
    }
    if (rang(timer_)) return Event::kTick;
  }
}

}  // namespace flowtap
