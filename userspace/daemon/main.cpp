// flowtapd.
#include <fmt/format.h>

#include <filesystem>
#include <iostream>

#include "base/printable.hpp"
#include "daemon/app.hpp"
#include "daemon/log.hpp"
#include "daemon/privileges.hpp"

namespace {

using namespace flowtap;

constexpr int kUsage = 2;  // a bad command line or configuration

int refuse(const Error& error, int status) {
  std::cerr << "flowtapd: " << printable(error.what) << '\n';
  if (!error.hint.empty()) std::cerr << "hint: " << printable(error.hint) << '\n';
  return status;
}

// Everything that flowtap pins stands below one directory of the BPF file system.
int detach(const Config& config) {
  const std::filesystem::path pins = std::filesystem::path(config.host_root) / "sys/fs/bpf/flowtap";
  std::error_code ec;
  const auto removed = std::filesystem::remove_all(pins, ec);
  if (ec)
    return refuse(Error{"cannot remove " + pins.string() + ": " + ec.message(), "run it as root", 0}, 1);
  std::cout << (removed == 0 ? "nothing was pinned\n" : fmt::format("removed {} pinned objects\n", removed));
  return 0;
}

int serve(Invocation invocation, int argc, char** argv) {
  open_log(invocation.config.log_level);
  auto app = App::start(std::move(invocation.config), [argc, argv] { return parse_flags(argc, argv); });
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
      std::cout << "the configuration is right\n";
      return 0;
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
