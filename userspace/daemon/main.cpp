// flowtapd.
#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>

#include <cerrno>
#include <iostream>
#include <new>
#include <system_error>

#include "base/complaint.hpp"
#include "base/printable.hpp"
#include "component/log_error.hpp"
#include "daemon/app.hpp"
#include "daemon/log.hpp"
#include "daemon/places/node_lock.hpp"
#include "stream/commands.hpp"
#include "telemetry/idle_compat.hpp"

namespace {

using namespace flowtap;

constexpr int kUsage = 2;  // a bad command line or configuration

int refuse(const Error& error, int status) {
  std::cerr << complaint("flowtapd", error);
  return status;
}

int detach(const Config& config) {
  const auto lock = NodeLock::take(config.host_root, config.state_dir);
  if (!lock) return refuse(lock.error(), 1);
  const auto lines = detach(config.stream, config.host_root);
  if (!lines) return refuse(lines.error(), 1);
  for (const std::string& line : *lines) std::cout << printable(line) << '\n';
  return 0;
}

// malloc gives each thread an arena, which keeps the most that the thread ever used. A scrape of many pods takes dozens
// of MiB, and over time each of the server's threads serves one. Two arenas are enough, since each thread still has its
// own lists of small pieces.
constexpr int kArenas = 2;

// Followed files and readers of flows need many descriptors. The soft limit is low because of select(2), which nothing here uses.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

int tell_checked(const Config& config) {
  std::cout << "the configuration is right\n";
  for (const std::string& line : check(config.stream, config.host_root)) std::cout << printable(line) << '\n';
  const std::string idle = idle_compat(config.telemetry, config.outlets.prometheus.compat_metrics);
  if (!idle.empty()) std::cout << "warning: " << printable(idle) << '\n';
  return 0;
}

// The parts make threads, and the standard library throws where it gets none.
Result<std::unique_ptr<App>> start(Config config, int argc, char** argv) {
  try {
    return App::start(std::move(config), [argc, argv] { return parse_flags(argc, argv); });
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::resource_unavailable_try_again)
      return fail(fmt::format("cannot start: {}", error.what()));
    return fail_errno(
        error.code().value(), "cannot start a thread",
        "let it have more of them: TasksMax= of its unit, pids.max of its cgroup or one above, or the "
        "sysctls kernel.threads-max and kernel.pid_max");
  } catch (const std::bad_alloc&) {
    return fail_errno(ENOMEM, "cannot start");
  }
}

int serve(Invocation invocation, int argc, char** argv) {
  ::mallopt(M_ARENA_MAX, kArenas);  // NOLINT(concurrency-mt-unsafe): there is one thread yet
  raise_descriptor_limit();
  open_log(invocation.config.log_level);
  auto app = start(std::move(invocation.config), argc, argv);
  if (!app) {
    log_error(app.error());
    return 1;
  }
  (*app)->run();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  auto invocation = parse_flags(argc, argv);
  if (!invocation) return refuse(invocation.error(), kUsage);
  switch (invocation->action) {
    case Action::kRun:
      return serve(std::move(*invocation), argc, argv);
    case Action::kCheckConfig:
      return tell_checked(invocation->config);
    case Action::kPrintConfig:
      std::cout << render_config(invocation->config);
      return 0;
    case Action::kVersion:
      std::cout << "flowtapd " FLOWTAP_VERSION "\n";
      return 0;
    case Action::kDetach:
      return detach(invocation->config);
    case Action::kHelp:
      std::cout << flags_help();
      return 0;
  }
  return kUsage;
}
