#include "tools/bench/measure/flowtapd.hpp"

#include <fmt/core.h>
#include <sys/resource.h>

#include <charconv>
#include <chrono>
#include <ctime>

#include "api/routes/routes.hpp"
#include "api/socket_path.hpp"
#include "base/file.hpp"
#include "http/client/client.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::bench {
namespace {

using namespace std::chrono_literals;

// Calls `take` with the text of each flow, which begins after the quote of its id.
template <typename Take>
void each_flow(std::string_view answer, std::string_view part, Take take) {
  constexpr std::string_view kFlow = "\"id\":\"";
  for (auto at = answer.find(kFlow); at != std::string_view::npos; at = answer.find(kFlow, at + 1)) {
    const std::string_view flow = answer.substr(at + kFlow.size());
    // The machine may have other containers.
    if (const std::string_view id = flow.substr(0, flow.find('"')); id.find(part) != std::string_view::npos)
      take(id, flow);
  }
}

test::Command command_of(const test::ScratchRoot& root, const std::string& stream,
                         const std::vector<std::string>& flags) {
  test::Command command{
      .argv = {paths::flowtapd(), "--host-root", root.path(), "--state-dir", root.file("state"), "--config",
               root.write("flowtap.yaml", fmt::format("stream: {{bpffs: {}{}{}}}\n", root.file("bpffs"),
                                                      stream.empty() ? "" : ", ", stream))},
      .out = root.file("out"),
      .err = root.file("err"),
      // The limits that systemd gives a service.
      .before_exec = [] {
        const rlimit files{.rlim_cur = 1024, .rlim_max = 524'288};
        ::setrlimit(RLIMIT_NOFILE, &files);
      }};
  command.argv.insert(command.argv.end(), flags.begin(), flags.end());
  return command;
}

}  // namespace

Result<double> process_cpu_ns(pid_t pid) {
  clockid_t clock{};
  timespec t{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &t) != 0)
    return fail(fmt::format("process {} has ended", pid));
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

Result<double> anonymous_mib(pid_t pid) {
  FTAP_TRY_ASSIGN(status, read_file(fmt::format("/proc/{}/status", pid)));
  FTAP_TRY_ASSIGN(kib, number_behind(status, "RssAnon:"));
  return static_cast<double>(kib) / 1024;
}

Result<std::uint64_t> number_behind(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  if (at == std::string_view::npos) return fail("no " + std::string(key));
  text.remove_prefix(text.find_first_not_of(" \t", at + key.size()));
  std::uint64_t number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc{})
    return fail("no number behind " + std::string(key));
  return number;
}

Flowtapd::Flowtapd(const test::ScratchRoot& root, const std::string& stream,
                   const std::vector<std::string>& flags)
    : root_(root), process_(command_of(root, stream, flags)) {}

std::string Flowtapd::socket() const {
  return api::socket_path(root_.file("state"));
}

Result<std::string> Flowtapd::get(const std::string& target) const {
  FTAP_TRY_ASSIGN(reply, http::fetch(socket(), target));
  if (reply.status != 200) return std::unexpected(http::refusal(reply));
  return std::move(reply.body);
}

Status Flowtapd::wait_ready() {
  if (test::eventually(
          [this] { return get(std::string(api::kStatusPath)).has_value() || !process_.running(); }) &&
      process_.running())
    return {};
  return fail("flowtapd does not begin: " + root_.read("err"));
}

Result<FlowTotals> Flowtapd::totals(std::string_view part) const {
  FTAP_TRY_ASSIGN(answer, get(std::string(api::kFlowsPath)));
  FlowTotals totals;
  each_flow(answer, part, [&totals](std::string_view, std::string_view flow) {
    ++totals.flows;
    totals.bytes += number_behind(flow, "\"bytes\":").value_or(0);
    totals.lines += number_behind(flow, "\"lines\":").value_or(0);
    totals.missing += number_behind(flow, "\"missing_bytes\":").value_or(0);
  });
  return totals;
}

Result<std::vector<std::string>> Flowtapd::ids(std::string_view part) const {
  FTAP_TRY_ASSIGN(answer, get(std::string(api::kFlowsPath)));
  std::vector<std::string> ids;
  each_flow(answer, part, [&ids](std::string_view id, std::string_view) { ids.emplace_back(id); });
  return ids;
}

}  // namespace flowtap::bench
