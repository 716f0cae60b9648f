#include "stats/outlet.hpp"

#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <mutex>

namespace flowtap::stats {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kHung{3000};

/// A receiver that closes its pipe must not end the process. Signals to the process are for its main thread.
void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

struct Outlet::State {
  State(std::unique_ptr<Backend> b, milliseconds r) : retry(r), backend(std::move(b)) {}

  void run();
  SnapshotPtr next(milliseconds pause);
  bool publish(const SnapshotPtr& snapshot);

  const milliseconds retry;
  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable ended;
  SnapshotPtr newest;    // the last one offered
  bool fresh = false;    // `newest` has not been published yet
  bool failing = false;  // the last publish() did not deliver everything
  bool stopping = false;
  bool last = false;  // the publish() that is under way began after begin_stop()
  bool finished = false;
  Clock::time_point busy_since{};  // when the publish() that is under way began; zero if there is none
  BackendHealth health;

  std::unique_ptr<Backend> backend;  // used only by the thread
};

/// The snapshot to publish now; null if the thread is to end.
SnapshotPtr Outlet::State::next(milliseconds pause) {
  std::unique_lock lock(mutex);
  const auto ready = [this] { return fresh || stopping; };
  if (failing) {
    wake.wait_for(lock, pause, ready);
  } else {
    wake.wait(lock, ready);
  }
  if (!newest || (stopping && !fresh && !failing)) return nullptr;
  fresh = false;
  last = stopping;
  busy_since = Clock::now();
  return newest;
}

bool Outlet::State::publish(const SnapshotPtr& snapshot) {
  const Status status = backend->publish(snapshot);
  BackendHealth now = backend->health();
  const std::scoped_lock lock(mutex);
  if (!status) {
    now.up = false;
    now.last_error = status.error().what;
    now.refusal = status.error();
  }
  failing = !status;
  health = std::move(now);
  busy_since = {};
  return !failing;
}

void Outlet::State::run() {
  block_signals();
  int failures = 0;
  while (const SnapshotPtr snapshot = next(retry * std::clamp(failures, 1, 5))) {
    failures = publish(snapshot) ? 0 : std::min(failures + 1, 5);
    const std::scoped_lock lock(mutex);
    if (last && !fresh) break;  // delivered or not
  }
  backend.reset();  // done here, since closing a server may take long too, and stop() has a limit
  const std::scoped_lock lock(mutex);
  finished = true;
  ended.notify_all();
}

Outlet::Outlet(std::unique_ptr<Backend> backend, milliseconds retry)
    : name_(backend->name()), state_(std::make_shared<State>(std::move(backend), retry)) {
  // The thread shares the state, so a thread that stop() leaves behind never touches freed memory.
  thread_ = std::jthread([state = state_] { state->run(); });
}

Outlet::~Outlet() {
  stop(seconds(1));
}

void Outlet::offer(SnapshotPtr snapshot) {
  const std::scoped_lock lock(state_->mutex);
  state_->newest = std::move(snapshot);
  state_->fresh = true;
  state_->wake.notify_one();
}

BackendHealth Outlet::health() const {
  const std::scoped_lock lock(state_->mutex);
  BackendHealth health = state_->health;
  if (state_->busy_since != Clock::time_point{} && Clock::now() - state_->busy_since > kHung) {
    health.up = false;
    health.last_error = "the receiver has kept the last update waiting for more than three seconds";
  }
  return health;
}

void Outlet::begin_stop() {
  const std::scoped_lock lock(state_->mutex);
  state_->stopping = true;
  state_->wake.notify_one();
}

bool Outlet::stop(milliseconds limit) {
  if (!thread_.joinable()) return true;
  begin_stop();
  std::unique_lock lock(state_->mutex);
  const bool finished = state_->ended.wait_for(lock, limit, [this] { return state_->finished; });
  lock.unlock();
  if (finished) {
    thread_.join();
  } else {
    thread_.detach();
  }
  return finished;
}

}  // namespace flowtap::stats
