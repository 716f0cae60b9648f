// A directory of a test's own in memory, as a journal's is: thousands of starts on a disk would take minutes.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace flowtap::flow {

class TmpfsDir {
 public:
  TmpfsDir() {
    const std::filesystem::path memory = "/dev/shm";
    path_ = (std::filesystem::exists(memory) ? memory : std::filesystem::temp_directory_path()) /
            "flowtap-XXXXXX";
    if (::mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  TmpfsDir(const TmpfsDir&) = delete;
  TmpfsDir& operator=(const TmpfsDir&) = delete;
  ~TmpfsDir() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace flowtap::flow
