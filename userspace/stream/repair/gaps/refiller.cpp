#include "stream/repair/gaps/refiller.hpp"

#include <pthread.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <exception>
#include <optional>

namespace flowtap {
namespace {

using namespace std::chrono_literals;

// Filling gaps runs behind everything that captures and serves.
constexpr int kRefillNice = 10;
// The runtime has mostly written its file by then, and bytes lost at one time are looked for in one go.
constexpr auto kFirstPause = 50ms;
constexpr auto kLongestPause = 1000ms;
// How much longer a log is looked at that changes each time, or has more gaps than one look can reach.
constexpr auto kChangingPatience = 60s;
// The most flows for which decisions are remembered; then it begins anew.
constexpr std::size_t kMostDecided = 4096;
// It rests this many times as long as a look had the processor, so it takes a fifth of one at most. The time for which a look
// waited for the processor does not count: on a node with much load the gaps would wait for minutes.
constexpr int kRest = 4;

std::chrono::nanoseconds processor_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

Refiller::Refiller(flow::FlowStore& store, const Histories& histories)
    : store_(store), histories_(histories) {
  store_.when_gapped([this] { bell_.ring(); });
  bell_.ring();  // for gaps from before
  thread_ = std::thread([this] { run(); });
}

Refiller::~Refiller() {
  store_.when_gapped({});
  bell_.stop();
  thread_.join();
}

void Refiller::run() noexcept {
  ::pthread_setname_np(::pthread_self(), "ftap-refill");
  ::setpriority(PRIO_PROCESS, 0, kRefillNice);
  while (wait()) {
    try {
      take_new(Clock::now());
    } catch (const std::exception&) {  // no memory: the gaps stay
      jobs_.clear();
      store_.settle_gaps();
    }
    const auto now = Clock::now();
    const auto job = next_job();
    if (job != jobs_.end() && job->second.due <= now && is_done(job->first, job->second, now)) {
      store_.settle_gaps(job->first);
      jobs_.erase(job);
    }
  }
}

// Looks once. A look that fails, as it does without memory, is made again like one that found nothing.
bool Refiller::is_done(const std::string& id, Job& job, Clock::time_point now) noexcept {
  try {
    return work(id, job, now);
  } catch (const std::exception&) {
    job.due = now + kLongestPause;
    return now >= job.until;
  }
}

Refiller::Jobs::iterator Refiller::next_job() {
  return std::ranges::min_element(jobs_, {}, [](const auto& entry) { return entry.second.due; });
}

// False: it has to stop.
bool Refiller::wait() {
  const auto next = next_job();
  return next == jobs_.end() ? bell_.wait(std::nullopt) : bell_.wait(next->second.due);
}

void Refiller::take_new(Clock::time_point now) {
  for (const std::string& id : store_.take_gapped()) {
    Job& job = jobs_.try_emplace(id, Job{Clock::time_point::max(), {}, {}}).first->second;
    job.pause = kFirstPause;
    job.due = std::min(job.due, std::max(now + kFirstPause, rest_));
    job.until = now + kRefillPatience;
  }
}

// True: this was the last round, because nothing is left open or the time is up. A log that changed while it was
// looked at is looked at again, also in a last round, since nothing has been decided about it.
bool Refiller::work(const std::string& id, Job& job, Clock::time_point now) {
  const bool last = now >= job.until;
  const auto before = processor_time();
  const bool gives_up = now >= job.until + kChangingPatience;
  const GapRound round =
      fill_gaps(store_, histories_, id, decided_[id], {.last = last, .gives_up = gives_up});
  rest_ = Clock::now() + kRest * (processor_time() - before);
  for (std::size_t i = 0; i < kRefillResults; ++i) bytes_.at(i) += round.bytes.at(i);
  if (round.open > 0 && !gives_up) {
    job.pause = std::min<std::chrono::milliseconds>(job.pause * 2, kLongestPause);
    const auto next = Clock::now() + job.pause;
    job.due = std::max(rest_, last ? next : std::min(next, job.until));
    return false;
  }
  if (decided_.size() > kMostDecided) decided_.clear();
  return true;
}

void Refiller::append_samples(std::vector<stats::Series>& out) const {
  for (std::size_t i = 0; i < kRefillResults; ++i)
    out.push_back({&stats::stat(stats::StatId::kFLOW_REFILLED),
                   {std::string(to_string(static_cast<RefillResult>(i)))},
                   bytes_.at(i).load()});
}

}  // namespace flowtap
