// GPUs in a fake sysfs, and processes that have them open in a fake procfs.
#pragma once

#include <filesystem>
#include <string>

#include "tests/support/files/file_tree.hpp"

namespace flowtap::test {

inline void link_to(const FileTree& tree, const std::string& path, const std::string& target) {
  const std::filesystem::path full = std::filesystem::path(tree.root()) / path;
  std::filesystem::create_directories(full.parent_path());
  std::filesystem::remove(full);
  std::filesystem::create_symlink(target, full);
}

/// sys/class/drm/NAME with its PCI device, whose directory is returned ("sys/devices/0000:03:00.0").
inline std::string add_card(FileTree& tree, const std::string& name, const std::string& address,
                            const std::string& vendor, const std::string& driver) {
  const std::string device = "sys/devices/" + address;
  tree.file(device + "/vendor", vendor + "\n").file(device + "/device", "0x744c\n");
  tree.file("sys/drivers/" + driver + "/uevent", "");
  link_to(tree, device + "/driver", "../../drivers/" + driver);
  tree.file("sys/class/drm/" + name + "/dev", "226:0\n");
  link_to(tree, "sys/class/drm/" + name + "/device", "../../../devices/" + address);
  return device;
}

/// The process has `target` open as `fd`, and /proc shows `fdinfo` for it.
inline void open_file(FileTree& tree, int pid, int fd, const std::string& target, const std::string& fdinfo) {
  const std::string process = "proc/" + std::to_string(pid);
  link_to(tree, process + "/fd/" + std::to_string(fd), target);
  tree.file(process + "/fdinfo/" + std::to_string(fd), fdinfo);
}

}  // namespace flowtap::test
