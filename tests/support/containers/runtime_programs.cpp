#include "tests/support/containers/runtime_programs.hpp"

#include <linux/magic.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <stdexcept>

#include "tests/support/paths/paths.hpp"

namespace flowtap::test {

std::string fetched(const std::string& package, const std::string& name) {
  return paths::programs() + "/" + package + "/bin/" + name;
}

std::string path_with_programs() {
  const char* path = ::getenv("PATH");
  return "PATH=" + fetched("containerd", "") + ":" + fetched("runc", "") + ":" +
         (path != nullptr ? path : "/usr/bin");
}

void see_cgroup2() {
  // If it is mounted there already, the kernel refuses a second mount.
  struct statfs there{};
  if (::statfs("/sys/fs/cgroup", &there) == 0 && there.f_type == CGROUP2_SUPER_MAGIC) return;
  if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("none", "/sys/fs/cgroup", "cgroup2", 0, nullptr) != 0)
    ::_exit(126);
}

std::string run_words(const ScratchRoot& root, const std::vector<std::string>& argv) {
  static int number = 0;
  const std::string name = "run" + std::to_string(++number);
  Process process({.argv = argv,
                   .env = {path_with_programs()},
                   .out = root.file(name + ".out"),
                   .err = root.file(name + ".err"),
                   .before_exec = see_cgroup2});
  const auto status = process.wait();
  if (status != 0)
    throw std::runtime_error(argv.front() + " ended with status " + std::to_string(status.value_or(-1)) +
                             ": " + root.read(name + ".err"));
  return root.read(name + ".out");
}

}  // namespace flowtap::test
