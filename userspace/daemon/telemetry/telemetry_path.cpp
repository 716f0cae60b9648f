#include "daemon/telemetry/telemetry_path.hpp"

#include <fmt/format.h>

#include "telemetry/node/load.hpp"

namespace flowtap {
namespace {

using stats::StatId;
using Clock = std::chrono::steady_clock;

}  // namespace

std::unique_ptr<TelemetryPath> TelemetryPath::start(const Config& config) {
  return std::unique_ptr<TelemetryPath>(new TelemetryPath(config));
}

TelemetryPath::TelemetryPath(const Config& config) : time_limit_(config.telemetry.time_limit) {
  const std::string proc = on_host(config, "/proc");
  collectors_.add(std::make_unique<telemetry::LoadCollector>(proc));
  states_ = collectors_.states();
}

void TelemetryPath::collect(ReadErrors& errors) {
  const auto now = Clock::now();
  // A tick may come a little early.
  if (last_ != Clock::time_point{} && now - last_ < kLeast * 9 / 10) return;
  last_ = now;
  series_.clear();
  collectors_.collect(time_limit_, series_);
  states_ = collectors_.states();
  for (const telemetry::CollectorState& state : states_) errors[std::string(state.name)] = state.unread;
}

void TelemetryPath::append_samples(std::vector<stats::Series>& out) const {
  out.insert(out.end(), series_.begin(), series_.end());
  for (const telemetry::CollectorState& state : states_) {
    const std::string name(state.name);
    out.push_back({&stats::stat(StatId::kCOLLECTOR_TIMEOUTS), {name}, state.timeouts});
    if (state.done)
      out.push_back({&stats::stat(StatId::kCOLLECTOR_DURATION),
                     {name},
                     std::chrono::duration<double>(state.took).count()});
  }
}

Status TelemetryPath::health() const {
  std::string late;
  for (const telemetry::CollectorState& state : states_)
    if (state.late) late += (late.empty() ? "" : ", ") + std::string(state.name);
  if (late.empty()) return {};
  return fail(fmt::format("no answer within {} ms when this was read: {}", time_limit_.count(), late),
              "a file system or device that hangs does this; all else is read");
}

std::string TelemetryPath::how() const {
  std::string names;
  for (const telemetry::CollectorState& state : states_)
    names += (names.empty() ? "" : ", ") + std::string(state.name);
  return names;
}

}  // namespace flowtap
