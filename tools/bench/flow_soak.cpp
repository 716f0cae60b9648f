// An hour of 20,000 lines a second from one pod, followed all the time: memory and tmpfs must stay flat, and no line may be
// missed. bench_flow_soak [MINUTES] [LINES PER SECOND]
#include <fmt/core.h>
#include <sys/statfs.h>

#include <cstdlib>
#include <exception>
#include <filesystem>

#include "tests/support/paths/paths.hpp"
#include "tools/bench/load/pod_writer.hpp"
#include "tools/bench/measure/figures.hpp"
#include "tools/bench/measure/flowtapd.hpp"
#include "tools/bench/measure/line_reader.hpp"

namespace flowtap::bench {
namespace {

constexpr std::uint64_t kParts = 12;

Status run(std::uint64_t minutes, std::uint64_t per_second) {
  const test::ScratchRoot root;
  Flowtapd daemon(root);
  FTAP_TRY(daemon.wait_ready());
  // Nobody reads the runtime's file here.
  FTAP_TRY_ASSIGN(pod, PodWriter::start("/dev/null"));
  FTAP_TRY(pod->pass({.times = 1}));
  std::vector<std::string> ids;
  if (!test::eventually([&] {
        if (auto now = daemon.ids(PodCgroups::kIdStart)) ids = std::move(*now);
        return !ids.empty();
      }))
    return fail("flowtapd does not know the pod");
  FTAP_TRY_ASSIGN(reader, LineReader::start({paths::flowtap(), "--state-dir", root.file("state"), "logs",
                                             "-f", ids.front()},
                                            root.file("reader.err")));
  print_section(fmt::format("{} minutes of {} lines a second, followed", minutes, per_second));
  for (std::uint64_t part = 1; part <= kParts; ++part) {
    FTAP_TRY_ASSIGN(before, process_cpu_ns(daemon.pid()));
    const std::uint64_t lines = minutes * 60 * per_second / kParts;
    FTAP_TRY(pod->pass({.times = lines, .per_second = per_second}));
    FTAP_TRY_ASSIGN(after, process_cpu_ns(daemon.pid()));
    FTAP_TRY_ASSIGN(mib, anonymous_mib(daemon.pid()));
    struct statfs fs{};
    if (::statfs(root.file("state/flows").c_str(), &fs) != 0)
      return fail_errno(errno, "cannot look at the tmpfs");
    const double used =
        static_cast<double>(fs.f_blocks - fs.f_bfree) * static_cast<double>(fs.f_bsize) / (1U << 20U);
    print_row(fmt::format("after {} lines", pod->lines()), fmt::format("{:.1f} and {:.1f}", mib, used),
              "MiB RssAnon and of tmpfs", "flat");
    print_row("- flowtapd", fmt::format("{:.2f}", (after - before) / 1e3 / static_cast<double>(lines)),
              "CPU s per million lines", "1.6");
  }
  const bool all = test::eventually([&] { return reader->lines() == pod->lines(); });
  print_row("lines at the follower", fmt::format("{} of {}", reader->lines(), pod->lines()), "lines", "all");
  FTAP_TRY_ASSIGN(totals, daemon.totals(PodCgroups::kIdStart));
  print_row("lines in the flow, and bytes missing", fmt::format("{} and {}", totals.lines, totals.missing),
            "", "all, 0");
  return all && reader->twice() == 0 && totals.lines == pod->lines() && totals.missing == 0
             ? Status{}
             : fail("flowtap lost lines");
}

}  // namespace
}  // namespace flowtap::bench

int main(int argc, char** argv) {
  flowtap::bench::PodWriter::be_one(argc, argv);
  const std::uint64_t minutes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 60;
  const std::uint64_t per_second = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 20'000;
  try {
    return flowtap::bench::finish(flowtap::bench::run(minutes, per_second));
  } catch (const std::exception& e) {
    return flowtap::bench::finish(flowtap::fail(e.what()));
  }
}
