#include "stream/commands.hpp"

#include <fmt/format.h>

#include "kernel/log/log_programs.hpp"
#include "stream/idle_patterns.hpp"
#include "stream/idle_settings.hpp"
#include "stream/memory/memory_fit.hpp"
#include "stream/stream_path.hpp"
#include "stream/unfit_paths.hpp"

namespace flowtap {

std::vector<std::string> check(const StreamOptions& options, const std::string& host_root) {
  if (!options.enabled) {
    const std::string idle = idle_lists(options);
    return idle.empty() ? std::vector<std::string>() : std::vector{"warning: " + idle};
  }
  MemoryFit fit = fit_memory_here(options);
  std::vector<std::string> lines = std::move(fit.taken);
  if (!lines.empty() && fit.limit)
    lines.push_back(
        fmt::format("auto depends on the smallest memory limit, which is {} in this shell ({}) and may be "
                    "another one for the service",
                    mib(fit.limit->bytes), fit.limit->whose));
  for (const std::string& warning : {fit.unread, fit.too_much})
    if (!warning.empty()) lines.push_back("warning: " + warning);
  for (const api::IdlePattern& idle :
       idle_patterns(options.lines.schedulers, options.sources, options.flow_rules))
    lines.push_back("warning: " + api::sentence_of(idle));
  for (const std::string& idle : idle_settings(options)) lines.push_back("warning: " + idle);
  for (const std::string& unfit : unfit_paths(options, host_root)) lines.push_back("warning: " + unfit);
  return lines;
}

// It does not say of the whole kernel what it knows of one place.
Result<std::vector<std::string>> detach(const StreamOptions& options, const std::string& host_root) {
  const std::string place = bpffs_path(options, host_root);
  FTAP_TRY_ASSIGN(detached, kernel::detach_log_tap(place));
  std::vector<std::string> lines{detached.found ? "what flowtap had pinned below " + place + " is removed"
                                                : "nothing of flowtap is pinned below " + place};
  if (!detached.found && options.bpffs.empty())
    lines.push_back(
        "if stream.bpffs names another place in flowtapd's configuration, give that file with --config");
  if (detached.waiting > 0)
    lines.push_back(fmt::format("at least {} bytes of log records are lost, which no flowtapd had taken yet",
                                detached.waiting));
  return lines;
}

}  // namespace flowtap
