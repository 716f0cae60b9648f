#include "tests/support/metrics/scx_server.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "tests/support/net/sockets.hpp"

namespace flowtap::test {

const std::string_view kRustyMeta = R"meta({
  "ClusterStats": {"name": "ClusterStats", "top": "true", "fields": {
    "at_us": {"datum": "u64", "desc": "timestamp", "user": {"_om_skip": "true"}},
    "total": {"datum": "u64", "desc": "# sched events during the period"},
    "slice_us": {"datum": "u64", "desc": "scheduling slice in usecs"},
    "cpu_busy": {"datum": "float", "desc": "CPU busy % (100% means all CPU)"},
    "direct_greedy_cpus": {"array": "u64", "user": {"_om_skip": "true"}},
    "nodes": {"dict": {"key": "u64", "datum": {"struct": "NodeStats"}}, "desc": "per-node statistics"}}},
  "NodeStats": {"name": "NodeStats", "user": {"_om_prefix": "n_", "_om_label": "node"}, "fields": {
    "load": {"datum": "float", "desc": "sum of weight * duty_cycle for all tasks"},
    "doms": {"dict": {"key": "u64", "datum": {"struct": "DomainStats"}}, "desc": "per-domain statistics"}}},
  "DomainStats": {"name": "DomainStats", "user": {"_om_prefix": "d_", "_om_label": "domain"}, "fields": {
    "load": {"datum": "float", "desc": "sum of weight * duty_cycle for all tasks"}}}})meta";

std::string scx_answer(std::string_view body) {
  std::string line = R"({"errno":0,"args":{"resp":)" + std::string(body) + "}}";
  std::erase(line, '\n');
  return line;
}

ScxServer::ScxServer(const std::string& path, Answer answer) : answer_(std::move(answer)) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  listener_ = stats::test::bind_unix(SOCK_STREAM, path);
  if (!listener_.valid() || ::listen(listener_.get(), 8) != 0)
    throw std::runtime_error("cannot listen at " + path);
  thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
}

ScxServer::~ScxServer() {
  thread_.request_stop();
}

void ScxServer::serve(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    pollfd ready{listener_.get(), POLLIN, 0};
    if (::poll(&ready, 1, 10) <= 0) continue;
    const Fd connection(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!connection.valid()) continue;
    ++connections_;
    talk(connection, stop);
  }
}

void ScxServer::talk(const Fd& connection, const std::stop_token& stop) {
  std::optional<std::uint64_t> before;
  std::string asked;
  while (!stop.stop_requested()) {
    pollfd ready{connection.get(), POLLIN, 0};
    if (::poll(&ready, 1, 10) <= 0) continue;
    std::array<char, 4096> chunk{};
    const ssize_t n = ::recv(connection.get(), chunk.data(), chunk.size(), 0);
    if (n <= 0) return;
    asked.append(chunk.data(), static_cast<std::size_t>(n));
    const auto end = asked.find('\n');
    if (end == std::string::npos) continue;
    const std::string request = asked.substr(0, end);
    asked.erase(0, end + 1);
    const std::string line = (answer_ ? answer_(request) : rusty(request, before)) + "\n";
    for (std::size_t sent = 0; sent < line.size();) {
      const ssize_t now = ::send(connection.get(), line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
      if (now <= 0) return;
      sent += static_cast<std::size_t>(now);
    }
  }
}

std::string ScxServer::rusty(std::string_view request, std::optional<std::uint64_t>& before) {
  if (request.contains("stats_meta")) return scx_answer(kRustyMeta);
  const std::uint64_t now = total_;
  // A connection's counts begin with its first question.
  const std::uint64_t since = now - std::exchange(before, now).value_or(now);
  told_ += since;
  ++questions_;
  return scx_answer(R"({"at_us":1763900000000000,"total":)" + std::to_string(since) + R"(,"slice_us":)" +
                    std::to_string(slice_us_) +
                    R"(,"cpu_busy":12.5,"direct_greedy_cpus":[18446744073709551615],)"
                    R"("nodes":{"0":{"load":1.5,"doms":{"0":{"load":0.5},"1":{"load":1}}}}})");
}

}  // namespace flowtap::test
