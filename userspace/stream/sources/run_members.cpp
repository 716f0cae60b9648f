#include "stream/sources/run_members.hpp"

#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "identity/proc_identity.hpp"

namespace flowtap {
namespace {

namespace fs = std::filesystem;

using Pid = std::uint32_t;

std::optional<identity::ProcStat> stat_of(const std::string& proc, Pid pid) {
  const auto text = read_file(proc + std::to_string(pid) + "/stat");
  if (!text) return std::nullopt;
  auto stat = identity::parse_proc_stat(*text);
  return stat ? std::optional(std::move(*stat)) : std::nullopt;
}

// All processes, each with its parent.
std::vector<std::pair<Pid, Pid>> processes(const std::string& proc) {
  std::vector<std::pair<Pid, Pid>> all;
  std::error_code error;
  for (fs::directory_iterator at(proc, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    const std::string name = at->path().filename();
    Pid pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ec != std::errc{}) continue;
    if (const auto stat = stat_of(proc, pid)) all.emplace_back(pid, stat->parent);
  }
  return all;
}

// The pid alone does not tell: another process may have it by now.
bool is_there(const std::string& proc, Pid pid, std::uint64_t start_time) {
  if (kernel::has_ended(pid)) return false;
  const auto stat = start_time == 0 ? std::nullopt : stat_of(proc, pid);
  return !stat || stat->start == identity::start_ticks(start_time);
}

}  // namespace

// A process that is started while we look, by one that has not joined yet, is found by the next look. What members start joins by
// itself.
void join_children(kernel::LogStreams& streams, const std::string& proc) {
  auto members = streams.members();
  for (bool more = !members.empty(); more;) {
    more = false;
    for (const auto& [pid, parent] : processes(proc)) {
      const auto of_parent = members.find(parent);
      if (of_parent == members.end() || members.contains(pid)) continue;
      const kernel::LogRun run = of_parent->second.run;
      if (!streams.join(pid, run)) continue;
      members.emplace(pid, kernel::LogMember{run});
      more = true;
    }
  }
}

void drop_ended(kernel::LogStreams& streams, const std::string& proc) {
  for (const auto& [pid, member] : streams.members())
    if (!is_there(proc, pid, member.start_time)) streams.leave(pid, member);
}

}  // namespace flowtap
