#include "http/connection/file_versions.hpp"

#include <sys/stat.h>

namespace flowtap::http {

std::string versions_of(const std::vector<std::string>& paths) {
  std::string all;
  for (const std::string& path : paths) {
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) return {};
    all += std::to_string(status.st_ino) + ' ' + std::to_string(status.st_ctim.tv_sec) + '.' +
           std::to_string(status.st_ctim.tv_nsec) + ' ';
  }
  return all;
}

}  // namespace flowtap::http
