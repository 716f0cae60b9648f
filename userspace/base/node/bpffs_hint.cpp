#include "base/node/bpffs_hint.hpp"

#include <sys/stat.h>

#include <cerrno>

#include "base/node/link_in_the_way.hpp"

namespace flowtap {
namespace {

constexpr const char* kOther = "name another directory in stream.bpffs";

std::string first_step(const std::string& path) {
  std::string mount = "mount -t bpf bpf " + path;
  struct stat there{};
  if (::stat(path.c_str(), &there) == 0) {
    if (S_ISDIR(there.st_mode)) return mount;
    return "move away what stands at " + path + " (mkdir " + path + " && " + mount + " then), or " + kOther;
  }
  if (errno == ENOTDIR)
    return "move away the file that stands in the place of a directory above it, or " + std::string(kOther);
  return "mkdir -p " + path + " && " + mount;
}

}  // namespace

std::string bpffs_hint(const std::string& path) {
  if (const auto link = link_in_the_way("", path, Links::kThatLeadToThings, kOther)) return link->hint;
  return first_step(path) + ", so that capture goes on while flowtapd restarts";
}

Error bpffs_error(const std::string& what, const std::string& path) {
  if (auto link = link_in_the_way(what, path, Links::kThatLeadToThings, kOther)) return std::move(*link);
  return {what, bpffs_hint(path), 0};
}

}  // namespace flowtap
