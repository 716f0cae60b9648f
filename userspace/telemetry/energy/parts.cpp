#include "telemetry/energy/parts.hpp"

#include <algorithm>

namespace flowtap::telemetry {
namespace {

constexpr std::size_t kMostParts = 1024;

// More than anything of the kind draws. The largest packages of today are made for 0.5 kW, a machine's supplies for 10
// kW.
std::uint64_t most_watts(const EnergyReading& reading) {
  const bool may_be_machine = reading.domain == EnergyDomain::kPlatform ||
                              (reading.domain == EnergyDomain::kOther && reading.range == 0);
  return may_be_machine ? 20'000 : 2'000;
}

}  // namespace

void EnergyParts::begin() {
  ++round_;
  read_now_.clear();
}

void EnergyParts::add(const EnergyReadings& readings, std::uint64_t& unread) {
  for (const EnergyReading& reading : readings.counters) read_counter(reading, readings.at, unread);
  for (const PowerReading& reading : readings.powers)
    if (reading.platform) read_meter(reading, readings.at, unread);
}

EnergyParts::Tracked* EnergyParts::find(std::string_view source, std::string part, std::uint64_t& unread) {
  const std::string key = std::string(source) + "/" + part;
  if (const auto at = all_.find(key); at != all_.end()) return &at->second;
  if (all_.size() == kMostParts) {
    ++unread;
    return nullptr;
  }
  return &all_.emplace(key, Tracked{source, std::move(part), {}, EnergyCounter(1), {}}).first->second;
}

void EnergyParts::read_counter(const EnergyReading& reading, EnergyClock::time_point now,
                               std::uint64_t& unread) {
  Tracked* const tracked = find(reading.source, reading.part, unread);
  if (tracked == nullptr) return;
  // A counter that was read each time is not away, however long a cycle takes.
  const bool away = round_ - tracked->round > 1 && now - tracked->at > kEnergyAway;
  if (tracked->place != reading.place) {
    // This is another counter of the same energy: it has its turn when the first is given up, otherwise both would be
    // counted.
    if (tracked->round != 0 && !away) return;
    tracked->place = reading.place;
    tracked->counter = EnergyCounter(most_watts(reading));
  } else if (away) {
    tracked->counter.forget();
  }
  take(*tracked, tracked->counter.read(reading.uj, reading.range, now), reading.domain, now);
}

void EnergyParts::read_meter(const PowerReading& reading, EnergyClock::time_point now,
                             std::uint64_t& unread) {
  Tracked* const tracked = find(kMeterSource, meter_part(reading), unread);
  if (tracked == nullptr) return;
  if (tracked->round == 0) return take(*tracked, {}, EnergyDomain::kMeter, now);
  constexpr std::uint64_t kMicro = 1'000'000;
  const auto since = std::chrono::floor<std::chrono::microseconds>(now - tracked->at);
  const auto us = static_cast<std::uint64_t>(
      std::clamp<std::chrono::microseconds>(since, std::chrono::microseconds(0), kEnergyAway).count());
  // Microwatts times microseconds are picojoules. Only the part of the time below a whole second is counted in these,
  // since all of it together may be 2^66.
  const std::uint64_t picojoules = tracked->picojoules + reading.uw * (us % kMicro);
  tracked->picojoules = picojoules % kMicro;
  const std::uint64_t uj = reading.uw * (us / kMicro) + picojoules / kMicro;
  take(*tracked, {.uj = uj, .known = true}, EnergyDomain::kMeter, tracked->at + since);
}

void EnergyParts::take(Tracked& tracked, EnergyStep step, EnergyDomain domain, EnergyClock::time_point at) {
  const auto since = tracked.round == 0 ? at : tracked.at;
  tracked.round = round_;
  tracked.at = at;
  tracked.total += step.uj;
  if (step.jumped) ++jumps_;
  read_now_.push_back({tracked.source, tracked.part, domain, step, since, tracked.total, tracked.place});
}

}  // namespace flowtap::telemetry
