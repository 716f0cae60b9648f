// Whether a thread sleeps until something happens, or looks around now and then.
#pragma once

#include <sys/syscall.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <string>

namespace flowtap::test {

/// Whether the threads of this process that have this name (the text of /proc/self/task/TID/comm), one at least, wait in
/// epoll_wait() without a time-out now: then nothing but an event wakes them, however long it takes to come.
[[nodiscard]] inline bool waits_for_events_alone(const std::string& name) {
  bool any = false;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string comm;
    std::getline(std::ifstream(task.path() / "comm"), comm);
    if (comm != name) continue;
    long call = -1;  // the file says "running" otherwise
    std::uint64_t fd = 0;
    std::uint64_t events = 0;
    std::uint64_t most = 0;
    std::uint64_t time_out = 0;
    std::ifstream(task.path() / "syscall") >> call >> std::hex >> fd >> events >> most >> time_out;
    bool waits = call == SYS_epoll_pwait;
#ifdef SYS_epoll_wait
    waits = waits || call == SYS_epoll_wait;
#endif
    if (!waits || static_cast<int>(time_out) != -1) return false;
    any = true;
  }
  return any;
}

}  // namespace flowtap::test
