// A node whose answers a test writes, and a client that may send anything.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "component/views/views.hpp"

namespace flowtap::api {

class ScriptedNode : public NodeView {
 public:
  StatusReport report;
  stats::SnapshotPtr totals;
  std::atomic<bool> is_ready = true;
  FlowsView* captured = nullptr;
  std::atomic<DiagnosesView*> explained = nullptr;

  [[nodiscard]] StatusReport status() const override { return report; }
  [[nodiscard]] stats::SnapshotPtr snapshot() const override { return totals; }
  [[nodiscard]] Status ready() const override {
    if (is_ready) return {};
    return fail("the programs are being attached", "wait");
  }
  [[nodiscard]] Result<FlowsView*> flows() const override {
    if (captured == nullptr) return NodeView::flows();
    return captured;
  }
  [[nodiscard]] Result<DiagnosesView*> diagnoses() const override {
    DiagnosesView* const view = explained;
    if (view == nullptr) return NodeView::diagnoses();
    return view;
  }
};

/// Every field with a value of its own.
inline StreamStatusReport full_stream_status() {
  StreamStatusReport s;
  s.backend = "sys_exit";
  s.reason = "the kernel refuses fexit";
  s.pinned = true;
  s.ring_bytes = 64U << 20U;
  s.ring_waiting = 1500;
  s.lost_bytes = {1, 2, 3, 4};
  s.lost_events = 5;
  s.no_slot = 6;
  s.recursion_misses = 7;
  s.journal = JournalStatus{8'000'000, 9'000'000, 10, 11, 12};
  s.open_flows = 13;
  s.ended_flows = 14;
  s.flows_since = std::chrono::system_clock::time_point(std::chrono::seconds(14'000));
  s.open_streams = 15;
  s.taps = 16;
  s.sources = {{"/var/log/x.log"},
               {{"/mnt/y.log", "it is on nfs4"}},
               17,
               18,
               {{"stream.schedulers", "file/x.log", "it is not listed"}}};
  s.pinned_in_namespace = true;
  s.recovery = {19, 20, 21};
  s.differing = {"container/a-1"};
  return s;
}

/// Every field with a value of its own.
inline StatusReport full_report() {
  StatusReport r;
  r.version = "1.2.3";
  r.kernel = "6.1.0-test";
  r.uptime_seconds = 12.5;
  r.components = {{"count", true, "tp_btf", ""},
                  {"sched_ext", false, "the kernel has none", "use Linux 6.12"}};
  r.count.programs = {{"ftap_switch", true, 5, 0.25, 3}, {"ftap_wakeup", false, {}, {}, {}}};
  r.count.cpus_possible = 4;
  r.count.cpus_online = 2;
  r.count.cycle_seconds = 1;
  r.count.cycles = 77;
  r.count.last_cycle_seconds = 0.000002;
  r.stream = full_stream_status();
  r.backends = {{"statsd", false, 10, 2, "connection refused"}};
  r.read_errors = {{"program_stats", 4}};
  return r;
}

/// Two schedulers, a histogram, a gauge.
inline stats::SnapshotPtr full_snapshot() {
  using enum stats::StatId;
  auto snapshot = std::make_shared<stats::Snapshot>();
  snapshot->cycle = 9;
  snapshot->start = std::chrono::system_clock::time_point(std::chrono::seconds(1000));
  snapshot->time = std::chrono::system_clock::time_point(std::chrono::milliseconds(1009500));
  stats::HistogramValue latency;
  latency.counts[0] = 5;
  latency.counts[7] = 3;
  latency.counts.back() = 1;
  latency.sum = 20.5;
  snapshot->series = {
      {&stats::stat(kWSYNC), {"kernel", "wsync"}, std::uint64_t{18446744073709551615U}},
      {&stats::stat(kQUEUED), {"kernel", "queued"}, std::uint64_t{7}},
      {&stats::stat(kWSYNC), {"a\"b\n", "wsync"}, std::uint64_t{1}},
      {&stats::stat(kLATENCY), {"kernel"}, latency},
      {&stats::stat(kPROCESS_RSS), {}, 4096.0},
  };
  snapshot->measured = snapshot->steady;
  return snapshot;
}

/// A directory that belongs to the test and is removed with it.
class TempDir {
 public:
  TempDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "flowtap_api.XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// A blocking socket that sends what it is told.
class RawClient {
 public:
  explicit RawClient(const std::string& path) : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof(address.sun_path) - 1));
    connected_ = ::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  }
  [[nodiscard]] bool connected() const { return connected_; }

  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto n = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }
  void half_close() { ::shutdown(fd_.get(), SHUT_WR); }

  /// Reads everything until the server closes, or until nothing has come for `timeout_ms`.
  std::string read_all(int timeout_ms = 5000) {
    std::string all;
    char chunk[4096];
    pollfd waiting{fd_.get(), POLLIN, 0};
    while (::poll(&waiting, 1, timeout_ms) == 1) {
      const auto n = ::recv(fd_.get(), chunk, sizeof(chunk), 0);
      if (n <= 0) {
        closed_ = true;
        break;
      }
      all.append(chunk, static_cast<std::size_t>(n));
    }
    return all;
  }
  /// Reads the first bytes that come, however few they are.
  std::string read_some() {
    std::string chunk(4096, '\0');
    const auto n = ::recv(fd_.get(), chunk.data(), chunk.size(), 0);
    chunk.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return chunk;
  }
  [[nodiscard]] bool closed_by_server() const { return closed_; }

 private:
  Fd fd_;
  bool connected_ = false;
  bool closed_ = false;
};

}  // namespace flowtap::api
