#include "daemon/stream/run_members.hpp"

#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "identity/proc_identity.hpp"

namespace flowtap {
namespace {

namespace fs = std::filesystem;

using Pid = std::uint32_t;

// Each with its parent.
std::vector<std::pair<Pid, Pid>> processes(const std::string& proc) {
  std::vector<std::pair<Pid, Pid>> all;
  std::error_code error;
  for (fs::directory_iterator at(proc, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    const std::string name = at->path().filename();
    Pid pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ec != std::errc{}) continue;
    const auto text = read_file(proc + name + "/stat");
    if (!text) continue;
    if (const auto stat = identity::parse_proc_stat(*text)) all.emplace_back(pid, stat->parent);
  }
  return all;
}

}  // namespace

// Who is started while we look by one who has not joined yet is found by the next look; what members start joins by itself.
void join_children(kernel::LogStreams& streams, const std::string& proc) {
  auto members = streams.members();
  for (bool more = !members.empty(); more;) {
    more = false;
    for (const auto& [pid, parent] : processes(proc)) {
      const auto run = members.find(parent);
      if (run == members.end() || members.contains(pid) || !streams.join(pid, run->second)) continue;
      members.emplace(pid, run->second);
      more = true;
    }
  }
}

}  // namespace flowtap
