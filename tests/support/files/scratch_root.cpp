#include "tests/support/files/scratch_root.hpp"

#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/result.hpp"

namespace flowtap::test {

ScratchRoot::ScratchRoot() {
  // Short: the name of a Unix socket below it must fit into 108 bytes.
  std::string pattern = "/tmp/ftap-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr)
    throw std::runtime_error("cannot make " + pattern + ": " + errno_text(errno));
  path_ = pattern;
  if (::mkdir(file("run").c_str(), 0755) != 0 || ::symlink("/sys", file("sys").c_str()) != 0 ||
      ::symlink("/proc", file("proc").c_str()) != 0)
    throw std::runtime_error("cannot fill " + path_ + ": " + errno_text(errno));
}

ScratchRoot::~ScratchRoot() {
  // A flowtapd leaves its mounts behind, as it should. The log tap's pins go with their file system.
  for (const char* mounted : {"bpffs", "state/flows"}) ::umount2(file(mounted).c_str(), MNT_DETACH);
  std::error_code ec;  // symbolic links are removed, not followed
  std::filesystem::remove_all(path_, ec);
}

std::string ScratchRoot::write(std::string_view name, std::string_view text) const {
  const std::string path = file(name);
  const std::string fresh = path + ".new";
  std::ofstream(fresh, std::ios::trunc) << text;
  if (::rename(fresh.c_str(), path.c_str()) != 0) throw std::runtime_error("cannot write " + path);
  return path;
}

std::string ScratchRoot::read(std::string_view name) const {
  std::ostringstream text;
  if (const std::ifstream in(file(name)); in) text << in.rdbuf();
  return text.str();
}

}  // namespace flowtap::test
