#include "base/directory.hpp"

#include <cerrno>
#include <string_view>

namespace flowtap {

DirectoryStream directory_stream(Fd directory) {
  DirectoryStream stream(::fdopendir(directory.get()));
  if (stream) (void)directory.release();
  return stream;
}

Result<std::vector<std::string>> directory_names(Fd directory, std::size_t most, const std::string& what) {
  const DirectoryStream stream = directory_stream(std::move(directory));
  if (!stream) return fail_errno(errno, "cannot list " + what);
  std::vector<std::string> names;
  errno = 0;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): one stream, one thread
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (names.size() == most) return fail(what + " holds more than " + std::to_string(most) + " names");
    names.emplace_back(name);
  }
  if (errno != 0) return fail_errno(errno, "cannot list " + what);
  return names;
}

}  // namespace flowtap
