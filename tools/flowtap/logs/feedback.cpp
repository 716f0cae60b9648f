#include "feedback.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace flowtap::cli {
namespace {

bool is_terminal(const struct stat& place) {
  return S_ISCHR(place.st_mode);
}

// Bytes that go to /dev/null cannot come back.
bool is_null(const struct stat& place) {
  struct stat null{};
  return ::stat("/dev/null", &null) == 0 && S_ISCHR(place.st_mode) && place.st_rdev == null.st_rdev;
}

}  // namespace

Status check_no_feedback(std::uint32_t pid, const std::vector<int>& theirs, const std::vector<int>& ours,
                         const std::string& proc) {
  for (const int their : theirs) {
    struct stat place{};
    if (::stat(fmt::format("{}/{}/fd/{}", proc, pid, their).c_str(), &place) != 0 || is_null(place)) continue;
    for (const int our : ours) {
      struct stat own{};
      if (::fstat(our, &own) != 0 || own.st_dev != place.st_dev || own.st_ino != place.st_ino) continue;
      return fail(
          fmt::format("process {} writes to the {} that flowtap would write to: it would show its own "
                      "output again and again",
                      pid, is_terminal(place) ? "terminal" : "place"),
          is_terminal(place) ? "tap it from another terminal, or with > FILE 2>&1"
                             : "write to another place");
    }
  }
  return {};
}

}  // namespace flowtap::cli
