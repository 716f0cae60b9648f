#include "telemetry/devices/nvml/nvml_samples.hpp"

#include <algorithm>

namespace flowtap::telemetry::nvml {
namespace {

constexpr unsigned kMostSamples = 4096;  // how many samples one device may have
// Stamps of two processes have been seen 1.5 s apart in one answer (https://github.com/Syllo/nvtop/issues/110): a new one may be
// older than the last look. A sample that comes twice is known by its stamp.
constexpr std::chrono::seconds kOverlap{3};
// A sample is stamped before it is read. If its stamp is further ahead, the clock was set back since, and nobody can
// tell how old it is.
constexpr std::uint64_t kMostAhead = 1'000'000;

// Absent: the driver has not answered. Empty: it has no samples.
std::optional<std::vector<ProcessSample>> ask(const Functions& call, Handle device, std::uint64_t since,
                                              Look& look) {
  std::vector<ProcessSample> samples;
  unsigned count = 0;
  int result = call.process_samples(device, nullptr, &count, since);
  if (result == kInsufficientSize) {
    constexpr unsigned kMore = 16;
    samples.resize(std::min(count, kMostSamples - kMore) + kMore);
    count = static_cast<unsigned>(samples.size());
    result = call.process_samples(device, samples.data(), &count, since);
  }
  if (result == kNotFound) return std::vector<ProcessSample>{};
  if (!look.good(result)) return std::nullopt;
  samples.resize(std::min<std::size_t>(count, samples.size()));
  std::erase_if(samples, [](const ProcessSample& one) { return one.pid == 0 || one.pid > INT32_MAX; });
  return samples;
}

struct Mean {
  unsigned sum = 0;
  unsigned count = 0;

  void add(unsigned percent) {
    if (!ratio(percent)) return;
    sum += percent;
    ++count;
  }
  [[nodiscard]] std::optional<double> value() const {
    return count == 0 ? std::nullopt : std::optional(sum / (100.0 * count));
  }
};

// The samples of one process.
struct Means {
  std::uint64_t newest = 0;
  Mean sm, memory, encoder, decoder;

  void add(const ProcessSample& sample) {
    sm.add(sample.sm);
    memory.add(sample.memory);
    encoder.add(sample.encoder);
    decoder.add(sample.decoder);
  }
  [[nodiscard]] ProcessWork work() const {
    return {.utilization = sm.value(),
            .memory_utilization = memory.value(),
            .encoder = encoder.value(),
            .decoder = decoder.value()};
  }
};

std::uint64_t before(std::uint64_t wall, DeviceClock::duration time) {
  const auto us =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(time).count());
  return wall > us ? wall - us : 0;
}

}  // namespace

std::uint64_t wall_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

// The processes with a new sample.
std::set<unsigned> ProcessSamples::take(const std::vector<ProcessSample>& samples,
                                        DeviceClock::time_point now, bool first) {
  for (auto& [pid, last] : last_) last.told = false;
  std::map<unsigned, Means> means;
  for (const ProcessSample& sample : samples) {
    Means& mean = means[sample.pid];
    mean.newest = std::max<std::uint64_t>(mean.newest, sample.microseconds);
  }
  // A stamp lower than the last one is new as well: the clock was set back, or the last one was nonsense.
  for (const ProcessSample& sample : samples) {
    const auto known = last_.find(sample.pid);
    const std::uint64_t last = known == last_.end() ? 0 : known->second.stamp;
    Means& mean = means[sample.pid];
    if (sample.microseconds > last || mean.newest < last) mean.add(sample);
  }
  std::set<unsigned> fresh;
  for (const auto& [pid, mean] : means) {
    Last& last = last_.try_emplace(pid, Last{.at = now}).first->second;
    last.told = true;
    if (mean.newest == last.stamp) continue;
    last.stamp = mean.newest;
    // At the first look the samples cover a time about which nothing else is known.
    if (first) continue;
    last.work = mean.work();
    last.at = now;
    fresh.insert(pid);
  }
  if (first || !fresh.empty()) sampled_ = now;
  return fresh;
}

bool ProcessSamples::tells_idle(DeviceClock::time_point now) const {
  if (!answering_ || now - *answering_ <= kHeld) return false;
  const bool unexplained = working_ && now - *working_ > kHeld && now - sampled_ > kHeld;
  return !unexplained;
}

std::map<unsigned, ProcessWork> ProcessSamples::next(const Functions& call, Handle device,
                                                     const std::set<unsigned>& listed, const Moment& now,
                                                     std::optional<double> utilization, Look& look) {
  std::map<unsigned, ProcessWork> all;
  if (call.process_samples == nullptr || look.lost) return all;
  if (utilization.value_or(0) == 0)
    working_.reset();
  else if (!working_)
    working_ = now.steady;

  const bool first = !looked_;
  const auto between = first ? DeviceClock::duration{} : now.steady - *looked_;
  const auto samples = ask(call, device, before(now.wall, between + kOverlap), look);
  if (samples) {
    looked_ = now.steady;
    if (!answering_) answering_ = now.steady;
    const std::set<unsigned> fresh = take(*samples, now.steady, first);
    for (const unsigned pid : fresh) all[pid] = last_.at(pid).work;
    std::erase_if(last_, [&](const auto& one) { return !one.second.told && !listed.contains(one.first); });
  } else {
    answering_.reset();
  }
  for (const unsigned pid : listed) {
    const Last& last = last_.try_emplace(pid, Last{.at = now.steady}).first->second;
    if (now.steady - last.at <= kHeld) {
      all[pid] = last.work;
    } else if (last.told && last.stamp > now.wall + kMostAhead) {
      ++look.unread;
    } else if (tells_idle(now.steady)) {
      all[pid] = {.utilization = 0, .memory_utilization = 0, .encoder = 0, .decoder = 0};
    }
  }
  return all;
}

}  // namespace flowtap::telemetry::nvml
