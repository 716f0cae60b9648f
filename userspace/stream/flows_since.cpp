#include "stream/flows_since.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "base/rfc3339.hpp"

namespace flowtap {

FlowsSince flows_since(const std::string& dir, std::chrono::system_clock::time_point now) {
  const std::string path = dir + "/.since";
  if (const auto text = read_line(path))
    if (const auto time = parse_rfc3339(*text)) return {.time = time};
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0640));
  const std::string text = rfc3339_nano(now) + "\n";
  if (!fd.valid() || ::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    return {};
  return {.time = now, .is_new = true};
}

}  // namespace flowtap
