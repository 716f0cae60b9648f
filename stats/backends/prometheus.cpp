#include "stats/backends/prometheus.hpp"

#include <prometheus/collectable.h>
#include <prometheus/exposer.h>
#include <prometheus/metric_family.h>
#include <sys/utsname.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "stats/backends/sending/address.hpp"
#include "stats/backends/sending/connect.hpp"
#include "stats/backends/sending/listen_probe.hpp"
#include "stats/compat/history.hpp"
#include "stats/compat/scrape_collectors.hpp"

namespace flowtap::stats {
namespace {

/// A client that sends its request slowly, or does not read the answer, holds a thread of CivetWeb for as
/// long as the time-out below. Keep-alive stays off (CivetWeb's default), since an idle connection would hold
/// one as well.
constexpr const char* kThreads = "8";
constexpr const char* kTimeoutMs = "5000";
constexpr std::chrono::seconds kFirstCycle{2};

prometheus::MetricType type_of(Kind kind) {
  switch (kind) {
    case Kind::kCounter:
      return prometheus::MetricType::Counter;
    case Kind::kGauge:
      return prometheus::MetricType::Gauge;
    case Kind::kHistogram:
      return prometheus::MetricType::Histogram;
  }
  return prometheus::MetricType::Untyped;
}

/// prometheus-cpp adds the bucket without an edge by itself.
prometheus::ClientMetric::Histogram histogram_of(const HistogramValue& value, const Stat& stat) {
  prometheus::ClientMetric::Histogram out;
  out.bucket.reserve(FTAP_HIST_BUCKETS);
  for (std::size_t i = 0; i < FTAP_HIST_BUCKETS; ++i) {
    out.sample_count += value.counts.at(i);
    if (has_edge(stat, i)) out.bucket.push_back({out.sample_count, histogram_edge(i, stat.widened)});
  }
  out.sample_count += value.counts.back();
  out.sample_sum = value.sum;
  return out;
}

prometheus::ClientMetric metric_of(const Series& series, const Family& of) {
  prometheus::ClientMetric metric;
  metric.label.reserve(series.labels.size());
  for (std::size_t i = 0; i < series.labels.size(); ++i)
    metric.label.push_back({std::string(label_key(of.labels, i)), series.labels[i]});
  if (const auto* histogram = histogram_in(series.value)) {
    metric.histogram = histogram_of(*histogram, *series.stat);
    return metric;
  }
  const auto* count = std::get_if<std::uint64_t>(&series.value);
  const double number = count != nullptr ? static_cast<double>(*count) : std::get<double>(series.value);
  if (series.stat->kind == Kind::kCounter) {
    metric.counter.value = number;
  } else {
    metric.gauge.value = number;
  }
  return metric;
}

void append_compat(const Snapshot& snapshot, const std::vector<compat::Exporter>& exporters,
                   const compat::Past& past, std::vector<prometheus::MetricFamily>& out) {
  for (compat::Family& theirs : compat::families(snapshot, exporters, past)) {
    prometheus::MetricFamily family{
        std::string(theirs.name), std::string(theirs.help), type_of(theirs.kind), {}};
    family.metric.reserve(theirs.samples.size());
    for (compat::Sample& sample : theirs.samples) {
      prometheus::ClientMetric& metric = family.metric.emplace_back();
      for (auto& [key, value] : sample.labels) metric.label.push_back({std::move(key), std::move(value)});
      (theirs.kind == Kind::kCounter ? metric.counter.value : metric.gauge.value) = sample.value;
    }
    out.push_back(std::move(family));
  }
}

prometheus::MetricType type_of(compat::PageKind kind) {
  switch (kind) {
    case compat::PageKind::kCounter:
      return prometheus::MetricType::Counter;
    case compat::PageKind::kGauge:
      return prometheus::MetricType::Gauge;
    case compat::PageKind::kUntyped:
      return prometheus::MetricType::Untyped;
  }
  return prometheus::MetricType::Untyped;
}

/// A name that is there already stays as it is: somebody's text file may have any.
void append_page(const compat::Page& page, std::vector<prometheus::MetricFamily>& out) {
  std::set<std::string, std::less<>> taken;
  for (const prometheus::MetricFamily& family : out) taken.insert(family.name);
  for (const auto& [name, theirs] : page.families()) {
    if (taken.contains(name)) continue;
    prometheus::MetricFamily family{name, theirs.help, type_of(theirs.kind), {}};
    family.metric.reserve(theirs.samples.size());
    for (const auto& [labels, value] : theirs.samples) {
      prometheus::ClientMetric& metric = family.metric.emplace_back();
      for (const auto& [key, text] : labels) metric.label.push_back({key, text});
      metric.counter.value = metric.gauge.value = metric.untyped.value = value;
    }
    out.push_back(std::move(family));
  }
}

std::vector<prometheus::MetricFamily> gather(const Snapshot& snapshot) {
  std::vector<prometheus::MetricFamily> out;
  FamilyId current{};
  for (std::size_t i = 0; i < snapshot.series.size(); ++i) {
    const Series& series = snapshot.series[i];
    const Family& of = family(series.stat->family);
    if (out.empty() || series.stat->family != current) {
      current = series.stat->family;
      out.push_back({std::string(of.name), std::string(of.help), type_of(series.stat->kind), {}});
      std::size_t end = i;
      while (end < snapshot.series.size() && snapshot.series[end].stat->family == current) ++end;
      out.back().metric.reserve(end - i);
    }
    out.back().metric.push_back(metric_of(series, of));
  }
  return out;
}

/// This machine's name; empty if it cannot be read.
std::string host_name() {
  utsname names{};
  return ::uname(&names) == 0 ? std::string(static_cast<const char*>(names.nodename)) : std::string();
}

/// How long the scrapes took. It lives as long as anybody reads it.
class Durations {
 public:
  void observe(std::chrono::nanoseconds took) {
    const std::scoped_lock lock(mutex_);
    ++value_.counts.at(histogram_bucket(static_cast<std::uint64_t>(took.count())));
    value_.sum += std::chrono::duration<double>(took).count();
  }
  [[nodiscard]] HistogramValue value() const {
    const std::scoped_lock lock(mutex_);
    return value_;
  }

 private:
  mutable std::mutex mutex_;
  HistogramValue value_;
};

/// The newest snapshot, as prometheus-cpp asks for it.
class Newest : public prometheus::Collectable {
 public:
  Newest(std::shared_ptr<Durations> durations, std::vector<compat::Exporter> exporters,
         std::shared_ptr<compat::PageSource> node)
      : durations_(std::move(durations)),
        node_(std::move(node)),
        exporters_(exporters),
        history_(std::move(exporters), host_name()) {}

  /// To be called from one thread.
  void set(SnapshotPtr snapshot) {
    auto past = history_.next(*snapshot);
    {
      const std::scoped_lock lock(mutex_);
      snapshot_.swap(snapshot);  // the old ones are freed after the lock
      past_.swap(past);
    }
    first_.notify_all();
  }

  [[nodiscard]] std::vector<prometheus::MetricFamily> Collect() const override {
    SnapshotPtr snapshot;
    std::shared_ptr<const compat::Past> past;
    {
      // A scrape that comes before the first cycle has ended waits, so that it shows all series at 0.
      std::unique_lock lock(mutex_);
      first_.wait_for(lock, kFirstCycle, [this] { return snapshot_ != nullptr; });
      snapshot = snapshot_;
      past = past_;
    }
    if (!snapshot) return {};
    const auto begin = std::chrono::steady_clock::now();
    auto families = gather(*snapshot);
    append_compat(*snapshot, exporters_, *past, families);
    if (node_ && snapshot->measured) {  // otherwise nothing of the node is to be read
      compat::Page page = node_->read();
      compat::add_scrape_collectors(*snapshot, page);
      append_page(page, families);
    }
    durations_->observe(std::chrono::steady_clock::now() - begin);
    return families;
  }

 private:
  std::shared_ptr<Durations> durations_;
  std::shared_ptr<compat::PageSource> node_;
  std::vector<compat::Exporter> exporters_;
  compat::History history_;  // used by set()
  mutable std::mutex mutex_;
  mutable std::condition_variable first_;
  SnapshotPtr snapshot_;
  std::shared_ptr<const compat::Past> past_;
};

std::string civet_port(const Address& listen) {
  return to_string(listen).substr(sizeof("tcp://") - 1);
}

/// The address at which this machine reaches a listener at `listen`.
Address reachable(Address listen) {
  if (listen.host == "0.0.0.0") listen.host = "127.0.0.1";
  if (listen.host == "::") listen.host = "::1";
  return listen;
}

}  // namespace

class Prometheus::Endpoint {
 public:
  Endpoint(const Address& listen, std::vector<compat::Exporter> exporters,
           std::shared_ptr<compat::PageSource> node)
      : newest_(std::make_shared<Newest>(durations_, std::move(exporters), std::move(node))),
        listen_(listen),
        exposer_(std::vector<std::string>{"listening_ports", civet_port(listen), "num_threads", kThreads,
                                          "request_timeout_ms", kTimeoutMs, "max_request_size", "8192"}) {
    exposer_->RegisterCollectable(newest_);
    listen_.port = static_cast<std::uint16_t>(port());
  }
  /// CivetWeb looks at its stop flag only every two seconds, or when a connection arrives. So we make some connections.
  ~Endpoint() {
    knocker_ = std::jthread([to = reachable(listen_)](const std::stop_token& done) {
      while (!done.stop_requested()) {
        [[maybe_unused]] const auto knock = connect_socket(to);
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    });
    exposer_.reset();
  }
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  void set(SnapshotPtr snapshot) { newest_->set(std::move(snapshot)); }
  [[nodiscard]] int port() const {
    const auto ports = exposer_->GetListeningPorts();
    return ports.empty() ? 0 : ports.front();
  }
  [[nodiscard]] std::shared_ptr<const Durations> durations() const { return durations_; }

 private:
  std::shared_ptr<Durations> durations_ = std::make_shared<Durations>();
  std::shared_ptr<Newest> newest_;
  Address listen_;
  std::jthread knocker_;
  std::optional<prometheus::Exposer>
      exposer_;  // declared last: its threads end before the data that they read
};

Result<std::unique_ptr<Prometheus>> Prometheus::open(std::string_view address,
                                                     std::vector<compat::Exporter> exporters,
                                                     std::shared_ptr<compat::PageSource> node) {
  FTAP_TRY_ASSIGN(parsed, parse_listen_address(address));
  // CivetWeb only says that it did not start, so the kernel is asked for the reason first.
  FTAP_TRY(probe_listen(parsed));
  try {
    auto endpoint = std::make_unique<Endpoint>(parsed, std::move(exporters), std::move(node));
    return std::unique_ptr<Prometheus>(new Prometheus(std::move(endpoint)));
  } catch (const std::exception& e) {
    return fail("cannot serve metrics at " + std::string(address) + ": " + e.what(),
                "choose another --prometheus-address");
  }
}

Prometheus::Prometheus(std::unique_ptr<Endpoint> endpoint) : endpoint_(std::move(endpoint)) {}
Prometheus::~Prometheus() = default;

Status Prometheus::publish(const SnapshotPtr& snapshot) {
  endpoint_->set(snapshot);
  return {};
}

int Prometheus::port() const {
  return endpoint_->port();
}

std::function<HistogramValue()> Prometheus::scrape_durations() const {
  return [durations = endpoint_->durations()] { return durations->value(); };
}

}  // namespace flowtap::stats
