#include "daemon/outlets.hpp"

#include <algorithm>
#include <cstdio>

#include "stats/backends/json_lines.hpp"
#include "stats/backends/prometheus.hpp"
#include "stats/backends/sending/datagram.hpp"
#include "stats/backends/spectatord.hpp"
#include "stats/backends/statsd.hpp"
#include "stats/backends/terminal.hpp"

namespace flowtap {
namespace {

using Made = Result<std::unique_ptr<stats::Backend>>;

constexpr std::chrono::milliseconds kGoodbye{1000};

Made make_statsd(const Config& config) {
  FTAP_TRY_ASSIGN(address, stats::parse_datagram_address(config.statsd.address));
  stats::StatsdOptions options{.prefix = config.statsd.prefix,
                               .tags = config.statsd.dogstatsd_tags,
                               .max_pending = config.statsd.max_pending};
  return std::make_unique<stats::Statsd>(std::move(options),
                                         std::make_unique<stats::DatagramSocket>(std::move(address)));
}

Made make_spectatord(const Config& config) {
  FTAP_TRY_ASSIGN(address, stats::parse_datagram_address(config.spectatord.address));
  stats::SpectatordOptions options;
  options.base_file = config.state_dir + "/spectatord.base";
  options.max_pending = config.spectatord.max_pending;
  return std::make_unique<stats::Spectatord>(std::move(options),
                                             std::make_unique<stats::DatagramSocket>(std::move(address)));
}

Made make_json_lines(const Config& config) {
  FTAP_TRY_ASSIGN(address, stats::parse_stream_address(config.json_lines.output));
  stats::LineStreamOptions options;
  options.max_lines = config.json_lines.max_pending;
  return std::make_unique<stats::JsonLines>(std::move(address), options);
}

Made make_terminal(const Config&) {
  return std::make_unique<stats::Terminal>(stdout);
}

}  // namespace

struct Outlets::Kind {
  const char* name;
  std::function<bool(const Config&)> enabled;
  std::function<bool(const Config&, const Config&)> same;
  std::function<std::string(const Config&)> where;  // its address, for the status
  std::function<Made(Outlets&, const Config&)> make;
  std::function<std::chrono::milliseconds(const Config&)> period = [](const Config&) {
    return std::chrono::milliseconds(0);
  };
};

// The one list of backends.
const std::vector<Outlets::Kind>& Outlets::kinds() {
  static const std::vector<Kind> kAll = {
      {"prometheus", [](const Config& c) { return c.prometheus.enabled; },
       [](const Config& a, const Config& b) { return a.prometheus == b.prometheus; },
       [](const Config& c) { return "http://" + c.prometheus.address + "/metrics"; },
       [](Outlets& self, const Config& c) { return self.open_prometheus(c); }},
      {"statsd", [](const Config& c) { return c.statsd.enabled; },
       [](const Config& a, const Config& b) { return a.statsd == b.statsd; },
       [](const Config& c) { return c.statsd.address; },
       [](Outlets&, const Config& c) { return make_statsd(c); }},
      {"spectatord", [](const Config& c) { return c.spectatord.enabled; },
       [](const Config& a, const Config& b) { return a.spectatord == b.spectatord; },
       [](const Config& c) { return c.spectatord.address; },
       [](Outlets&, const Config& c) { return make_spectatord(c); }},
      {"json_lines", [](const Config& c) { return c.json_lines.enabled; },
       [](const Config& a, const Config& b) { return a.json_lines == b.json_lines; },
       [](const Config& c) { return c.json_lines.output; },
       [](Outlets&, const Config& c) { return make_json_lines(c); }},
      {"terminal", [](const Config& c) { return c.report.enabled; },
       [](const Config& a, const Config& b) { return a.report == b.report; },
       [](const Config&) { return std::string("standard output"); },
       [](Outlets&, const Config& c) { return make_terminal(c); },
       [](const Config& c) { return c.report.interval; }},
  };
  return kAll;
}

Result<std::unique_ptr<stats::Backend>> Outlets::open_prometheus(const Config& config) {
  using Exporters = std::vector<stats::compat::Exporter>;
  auto exporters = stats::compat::parse_exporters(config.prometheus.compat_metrics).value_or(Exporters{});
  FTAP_TRY_ASSIGN(backend, stats::Prometheus::open(config.prometheus.address, std::move(exporters)));
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
    // What it had not delivered is lost with it, and its successor goes on with the count of that.
    const stats::BackendHealth health = running.outlet->health();
    lost_before_[name] += health.lost + health.pending;
    running_.erase(name);
  }
}

void Outlets::apply(const Config& config, const stats::SnapshotPtr& told) {
  std::vector<std::string> unwanted;
  for (const Kind& kind : kinds())
    if (running_.contains(kind.name) && !(kind.enabled(config) && kind.same(config, config_)))
      unwanted.emplace_back(kind.name);
  end(unwanted, kGoodbye);

  failed_.clear();
  for (const Kind& kind : kinds()) {
    if (!kind.enabled(config) || running_.contains(kind.name)) continue;
    auto backend = kind.make(*this, config);
    if (!backend) {
      failed_.push_back({kind.name, false, backend.error().what, hint(kind.name, backend.error())});
      continue;
    }
    if (told) (*backend)->begin_at(*told);
    Running& running = running_[kind.name];
    running.outlet = std::make_unique<stats::Outlet>(std::move(*backend));
    running.period = kind.period(config);
  }
  config_ = config;
}

void Outlets::offer(const stats::SnapshotPtr& snapshot) {
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

std::vector<api::BackendStatus> Outlets::status() const {
  std::vector<api::BackendStatus> all;
  for (const auto& [name, running] : running_) {
    stats::BackendHealth health = running.outlet->health();
    const auto before = lost_before_.find(name);
    const std::uint64_t lost = health.lost + (before == lost_before_.end() ? 0 : before->second);
    all.push_back({name, health.up, health.pending, lost, std::move(health.last_error)});
  }
  return all;
}

std::vector<api::ComponentStatus> Outlets::components() const {
  std::vector<api::ComponentStatus> all;
  for (const auto& [name, running] : running_) {
    stats::BackendHealth health = running.outlet->health();
    api::ComponentStatus& c = all.emplace_back(name, health.up, where(name), std::string());
    if (health.up) continue;
    c.detail = std::move(health.last_error);
    if (health.refusal) c.hint = hint(name, *health.refusal);
  }
  return all;
}

std::string Outlets::hint(const std::string& name, const Error& error) const {
  const std::string rights = given_up_.hint(name, error.code);
  return rights.empty() ? error.hint : rights;
}

std::string Outlets::where(const std::string& name) const {
  const auto kind = std::ranges::find(kinds(), name, &Kind::name);
  return kind == kinds().end() ? std::string() : kind->where(config_);
}

std::optional<stats::HistogramValue> Outlets::scrape_durations() const {
  if (!scrape_durations_) return std::nullopt;
  return scrape_durations_();
}

}  // namespace flowtap
