#include "saved_file.hpp"

#include <map>

#include "unwrap/saved_lines.hpp"

namespace flowtap::cli {

SavedFileRead read_saved_file(
    int fd, const std::string& name,
    const std::function<void(std::string_view output, const SavedLine& line)>& take) {
  std::map<std::string, SavedLines, std::less<>> outputs;
  const auto add = [&](std::string_view output, std::string_view bytes, std::uint64_t time) {
    auto found = outputs.find(output);
    if (found == outputs.end())
      found = outputs
                  .try_emplace(std::string(output),
                               [&take, of = std::string(output)](const SavedLine& line) { take(of, line); })
                  .first;
    found->second.add(bytes, time);
  };
  SavedFileRead read{.log = flow::read_saved_log(fd, name, add)};
  for (auto& [output, lines] : outputs) {
    if (read.log.broken)
      lines.lose();
    else
      lines.finish();
    read.left_out += lines.left_out();
    read.late_parts += lines.late_parts();
  }
  return read;
}

}  // namespace flowtap::cli
