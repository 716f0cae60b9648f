#include "tests/support/containers/v1_hierarchy.hpp"

#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/result.hpp"

namespace flowtap::test {
namespace {

// Empty: the hierarchy is not mounted.
std::string place_of(const std::string& controller) {
  std::ifstream mounts("/proc/self/mounts");
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream fields(line);
    std::string device;
    std::string path;
    std::string type;
    std::string options;
    fields >> device >> path >> type >> options;
    if (type == "cgroup" && (',' + options + ',').contains(',' + controller + ',')) return path;
  }
  return {};
}

std::uint32_t id_of(const std::string& controller) {
  std::ifstream table("/proc/cgroups");
  for (std::string line; std::getline(table, line);) {
    std::istringstream fields(line);
    std::string name;
    std::uint32_t id = 0;
    if (fields >> name >> id && name == controller) return id;
  }
  return 0;
}

}  // namespace

V1Hierarchy::V1Hierarchy(const std::string& controller) : path_(place_of(controller)) {
  if (path_.empty()) {
    std::string pattern = "/tmp/ftap-v1-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr ||
        ::mount("flowtap", pattern.c_str(), "cgroup", 0, controller.c_str()) != 0)
      throw std::runtime_error("cannot mount " + controller + " of cgroup v1: " + errno_text(errno));
    path_ = pattern;
    mounted_ = true;
  }
  id_ = id_of(controller);
  if (id_ == 0) throw std::runtime_error("no hierarchy has " + controller);
}

V1Hierarchy::~V1Hierarchy() {
  if (!mounted_) return;
  ::umount(path_.c_str());
  ::rmdir(path_.c_str());
}

}  // namespace flowtap::test
