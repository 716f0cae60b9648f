#include "base/node/link_in_the_way.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

namespace flowtap {
namespace {

bool is_link(const std::string& path) {
  struct stat there{};
  return ::lstat(path.c_str(), &there) == 0 && S_ISLNK(there.st_mode);
}

std::string target_of(const std::string& path) {
  std::array<char, PATH_MAX> target{};
  const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
  return {target.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

// Of all links on the way. The one at the end is left out where it would not be followed.
std::optional<std::string> first_that_leads_to_nothing(const std::string& path, bool without_end) {
  for (std::size_t slash = 0; slash < path.size();) {
    slash = std::min(path.find('/', slash + 1), path.size());
    if (without_end && slash == path.size()) break;
    const std::string part = path.substr(0, slash);
    struct stat there{};
    if (is_link(part) && ::stat(part.c_str(), &there) != 0) return part;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Error> link_in_the_way(std::string_view what, const std::string& path, Links followed,
                                     std::string_view other) {
  const std::string tail = other.empty() ? "" : ", or " + std::string(other);
  const std::string sentence = std::string(what) + ": a symbolic link stands ";
  const auto culprit = first_that_leads_to_nothing(path, followed == Links::kNone);
  if (culprit) {
    const bool is_whole = *culprit == path;
    return Error{
        sentence + (is_whole ? "there" : "at " + *culprit) + " that leads to nothing (" +
            target_of(*culprit) + ")",
        "remove the link" + std::string(tail.empty() ? " or " : ", ") + "make what it leads to" + tail,
        ENOENT};
  }
  if (followed == Links::kNone && is_link(path))
    return Error{sentence + "there, and flowtapd follows none", "remove the link" + tail, ELOOP};
  return std::nullopt;
}

}  // namespace flowtap
