// One scrape of 10,000 series over HTTP: our Prometheus backend beside a plain prometheus-cpp registry of
// counters, with the same names and labels.
#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <prometheus/counter.h>
#include <prometheus/exposer.h>
#include <prometheus/registry.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.hpp"
#include "stats/backends/prometheus.hpp"
#include "stats/registry.hpp"
#include "tools/bench/measure/figures.hpp"

namespace flowtap::bench {
namespace {

constexpr int kRounds = 25;
constexpr int kSeries = 10'000;
// The request of Prometheus, but without compression, so that the body can be checked.
constexpr std::string_view kRequest = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
constexpr int kIncrement = 1'234'567;

double cpu_ms(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  const auto ms = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_usec) / 1e3;
  };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

Result<std::string> get_metrics(int port) {
  const Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (!fd.valid() || ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    return fail_errno(errno, "cannot connect to the exposer");
  if (::send(fd.get(), kRequest.data(), kRequest.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(kRequest.size()))
    return fail_errno(errno, "cannot send the request");
  std::string answer;
  std::vector<char> buffer(256U << 10U);
  while (true) {
    const ssize_t n = ::recv(fd.get(), buffer.data(), buffer.size(), 0);
    if (n == 0) return answer;
    if (n < 0 && errno != EINTR) return fail_errno(errno, "cannot read the answer");
    if (n > 0) answer.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

std::string label_of(int i) {
  return fmt::format("ftap_program_{:05}", i);
}

struct Scrapes {
  Rounds wall;
  Rounds cpu;
  Rounds kib;
};

Status scrape(int port, Scrapes& scrapes) {
  // The server's threads belong to this process. The client is this thread, and its time is subtracted.
  const double self = cpu_ms(RUSAGE_SELF);
  const double client = cpu_ms(RUSAGE_THREAD);
  const auto begin = std::chrono::steady_clock::now();
  FTAP_TRY_ASSIGN(answer, get_metrics(port));
  const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - begin;
  scrapes.cpu.add((cpu_ms(RUSAGE_SELF) - self) - (cpu_ms(RUSAGE_THREAD) - client));
  scrapes.wall.add(wall.count());
  scrapes.kib.add(static_cast<double>(answer.size()) / 1024);
  for (const int i : {0, kSeries - 1})
    if (answer.find(label_of(i)) == std::string::npos) return fail("a scrape lacks " + label_of(i));
  return {};
}

stats::SnapshotPtr snapshot() {
  stats::Registry registry(kSeries, std::chrono::system_clock::now());
  std::vector<stats::Series> samples;
  samples.reserve(kSeries);
  for (int i = 0; i < kSeries; ++i)
    samples.push_back({&stats::stat(stats::StatId::kPROGRAM_RUNS), {label_of(i)}, std::uint64_t{kIncrement}});
  return registry.publish(std::move(samples));
}

std::shared_ptr<prometheus::Registry> plain_registry() {
  auto registry = std::make_shared<prometheus::Registry>();
  const auto& family = stats::family(stats::FamilyId::kPROGRAM_RUNS);
  auto& counters = prometheus::BuildCounter()
                       .Name(std::string(family.name))
                       .Help(std::string(family.help))
                       .Register(*registry);
  for (int i = 0; i < kSeries; ++i)
    counters.Add({{std::string(family.labels), label_of(i)}}).Increment(kIncrement);
  return registry;
}

void print(const char* what, const Scrapes& scrapes) {
  print_row(what, scrapes.wall, "ms per scrape");
  print_row(what, scrapes.cpu, "ms of server CPU per scrape");
  print_row(what, scrapes.kib, "KiB per scrape");
}

Status run() {
  FTAP_TRY_ASSIGN(backend, stats::Prometheus::open("127.0.0.1:0"));
  FTAP_TRY(backend->publish(snapshot()));
  const auto registry = plain_registry();
  prometheus::Exposer exposer("127.0.0.1:0");
  exposer.RegisterCollectable(registry);

  Scrapes ours;
  Scrapes plain;
  for (int round = 0; round < kRounds; ++round) {
    FTAP_TRY(scrape(backend->port(), ours));
    FTAP_TRY(scrape(exposer.GetListeningPorts().front(), plain));
  }
  print_section("scrape of 10,000 series");
  print("Prometheus backend", ours);
  print("prometheus-cpp Registry of counters", plain);
  return {};
}

}  // namespace
}  // namespace flowtap::bench

int main() {
  return flowtap::bench::finish(flowtap::bench::run());
}
