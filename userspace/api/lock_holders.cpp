#include "api/lock_holders.hpp"

#include <sstream>
#include <utility>

#include "base/file.hpp"
#include "base/node/on_host.hpp"

namespace flowtap::api {
namespace {

constexpr std::size_t kMostLocks = std::size_t{1} << 20U;  // bytes

}  // namespace

// A line of /proc/locks (proc_locks(5)):
//   2: FLOCK  ADVISORY  WRITE 25291 00:19:1234 0 EOF
std::vector<LockHolder> lock_holders(const std::string& root) {
  std::vector<LockHolder> found;
  std::istringstream locks(read_file(on_host(root, "/proc/locks"), kMostLocks).value_or(""));
  for (std::string line; std::getline(locks, line);) {
    std::istringstream fields(line);
    std::string number;
    std::string kind;
    std::string how;
    std::string what;
    LockHolder holder;
    std::string file;
    if (!(fields >> number >> kind >> how >> what >> holder.pid >> file) || kind != "FLOCK" ||
        what != "WRITE")
      continue;
    holder.inode = file.substr(file.rfind(':') + 1);
    holder.comm = read_line(on_host(root, "/proc/" + holder.pid + "/comm")).value_or("");
    found.push_back(std::move(holder));
  }
  return found;
}

}  // namespace flowtap::api
