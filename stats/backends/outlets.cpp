#include "stats/backends/outlets.hpp"

#include <algorithm>
#include <cstdio>

#include "stats/backends/json_lines.hpp"
#include "stats/backends/prometheus.hpp"
#include "stats/backends/sending/datagram.hpp"
#include "stats/backends/spectatord.hpp"
#include "stats/backends/statsd.hpp"
#include "stats/backends/terminal.hpp"

namespace flowtap::stats {
namespace {

using Made = Result<std::unique_ptr<Backend>>;

constexpr std::chrono::milliseconds kGoodbye{1000};

Made make_statsd(const OutletOptions::Statsd& from) {
  FTAP_TRY_ASSIGN(address, parse_datagram_address(from.address));
  StatsdOptions options{.prefix = from.prefix, .tags = from.dogstatsd_tags, .max_pending = from.max_pending};
  return std::make_unique<Statsd>(std::move(options), std::make_unique<DatagramSocket>(std::move(address)));
}

Made make_spectatord(const OutletOptions::Spectatord& from, const std::string& state_dir) {
  FTAP_TRY_ASSIGN(address, parse_datagram_address(from.address));
  SpectatordOptions options;
  options.base_file = state_dir + "/spectatord.base";
  options.max_pending = from.max_pending;
  return std::make_unique<Spectatord>(std::move(options),
                                      std::make_unique<DatagramSocket>(std::move(address)));
}

Made make_json_lines(const OutletOptions::JsonLines& from) {
  FTAP_TRY_ASSIGN(address, parse_stream_address(from.output));
  LineStreamOptions options;
  options.max_lines = from.max_pending;
  return std::make_unique<JsonLines>(std::move(address), options);
}

Made make_terminal() {
  return std::make_unique<Terminal>(stdout);
}

}  // namespace

struct Outlets::Kind {
  const char* name;
  std::function<bool(const OutletOptions&)> enabled;
  std::function<bool(const OutletOptions&, const OutletOptions&)> same;
  std::function<std::string(const OutletOptions&)> where;  // for the status
  std::function<Made(Outlets&, const OutletOptions&)> make;
  std::function<std::chrono::milliseconds(const OutletOptions&)> period = [](const OutletOptions&) {
    return std::chrono::milliseconds(0);
  };
};

// The one list of backends.
const std::vector<Outlets::Kind>& Outlets::kinds() {
  static const std::vector<Kind> kAll = {
      {"prometheus", [](const OutletOptions& o) { return o.prometheus.enabled; },
       [](const OutletOptions& a, const OutletOptions& b) { return a.prometheus == b.prometheus; },
       [](const OutletOptions& o) { return "http://" + o.prometheus.address + "/metrics"; },
       [](Outlets& self, const OutletOptions& o) { return self.open_prometheus(o); }},
      {"statsd", [](const OutletOptions& o) { return o.statsd.enabled; },
       [](const OutletOptions& a, const OutletOptions& b) { return a.statsd == b.statsd; },
       [](const OutletOptions& o) { return o.statsd.address; },
       [](Outlets&, const OutletOptions& o) { return make_statsd(o.statsd); }},
      {"spectatord", [](const OutletOptions& o) { return o.spectatord.enabled; },
       [](const OutletOptions& a, const OutletOptions& b) { return a.spectatord == b.spectatord; },
       [](const OutletOptions& o) { return o.spectatord.address; },
       [](Outlets& self, const OutletOptions& o) { return make_spectatord(o.spectatord, self.state_dir_); }},
      {"json_lines", [](const OutletOptions& o) { return o.json_lines.enabled; },
       [](const OutletOptions& a, const OutletOptions& b) { return a.json_lines == b.json_lines; },
       [](const OutletOptions& o) { return o.json_lines.output; },
       [](Outlets&, const OutletOptions& o) { return make_json_lines(o.json_lines); }},
      {"terminal", [](const OutletOptions& o) { return o.report.enabled; },
       [](const OutletOptions& a, const OutletOptions& b) { return a.report == b.report; },
       [](const OutletOptions&) { return std::string("standard output"); },
       [](Outlets&, const OutletOptions&) { return make_terminal(); },
       [](const OutletOptions& o) { return o.report.interval; }},
  };
  return kAll;
}

Result<std::unique_ptr<Backend>> Outlets::open_prometheus(const OutletOptions& options) {
  using Exporters = std::vector<compat::Exporter>;
  auto exporters = compat::parse_exporters(options.prometheus.compat_metrics).value_or(Exporters{});
  const bool node = std::ranges::find(exporters, compat::Exporter::kNODE) != exporters.end();
  FTAP_TRY_ASSIGN(backend,
                  Prometheus::open(options.prometheus.address, std::move(exporters), node ? node_ : nullptr));
  scrape_durations_ = backend->scrape_durations();
  return backend;
}

void Outlets::end(const std::vector<std::string>& names, std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  for (const std::string& name : names)
    running_.at(name).outlet->begin_stop();  // so that they all end at the same time
  for (const std::string& name : names) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    const Running& running = running_.at(name);
    running.outlet->stop(std::max(left, std::chrono::milliseconds(10)));
    // What it had not sent yet is lost with it. Its successor goes on counting these losses.
    const BackendHealth health = running.outlet->health();
    lost_before_[name] += health.lost + health.pending;
    running_.erase(name);
  }
}

void Outlets::apply(const OutletOptions& options, const SnapshotPtr& told) {
  std::vector<std::string> unwanted;
  for (const Kind& kind : kinds())
    if (running_.contains(kind.name) && !(kind.enabled(options) && kind.same(options, options_)))
      unwanted.emplace_back(kind.name);
  end(unwanted, kGoodbye);

  failed_.clear();
  for (const Kind& kind : kinds()) {
    if (!kind.enabled(options) || running_.contains(kind.name)) continue;
    auto backend = kind.make(*this, options);
    if (!backend) {
      failed_.push_back({kind.name, backend.error()});
      continue;
    }
    if (told) (*backend)->begin_at(*told);
    Running& running = running_[kind.name];
    running.outlet = std::make_unique<Outlet>(std::move(*backend));
    running.period = kind.period(options);
  }
  options_ = options;
}

void Outlets::offer(const SnapshotPtr& snapshot) {
  const auto now = std::chrono::steady_clock::now();
  for (auto& [name, running] : running_) {
    if (now < running.next) continue;
    // It is better to publish a little early than a whole cycle late: the cycle's timer and this clock do not tick
    // together.
    running.next = now + running.period - running.period / 20;
    running.outlet->offer(snapshot);
  }
}

void Outlets::stop(std::chrono::milliseconds limit) {
  std::vector<std::string> all;
  all.reserve(running_.size());
  for (const auto& [name, running] : running_) all.push_back(name);
  end(all, limit);
}

std::vector<Outlets::State> Outlets::states() const {
  std::vector<State> all;
  for (const auto& [name, running] : running_) {
    BackendHealth health = running.outlet->health();
    if (const auto before = lost_before_.find(name); before != lost_before_.end())
      health.lost += before->second;
    all.push_back({name, where(name), std::move(health)});
  }
  return all;
}

std::string Outlets::where(const std::string& name) const {
  const auto kind = std::ranges::find(kinds(), name, &Kind::name);
  return kind == kinds().end() ? std::string() : kind->where(options_);
}

std::optional<HistogramValue> Outlets::scrape_durations() const {
  if (!scrape_durations_) return std::nullopt;
  return scrape_durations_();
}

}  // namespace flowtap::stats
