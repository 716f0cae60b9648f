#include "telemetry/energy/attribute.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/ascii.hpp"
#include "base/file.hpp"
#include "telemetry/collecting/fields.hpp"

namespace flowtap::telemetry {
namespace {

constexpr std::size_t kPage = 4096;  // sysfs shows no more (Documentation/filesystems/sysfs.rst)
constexpr std::size_t kLongestLabel = 64;

std::optional<std::string> read_text(const std::string& path, std::uint64_t& unread) {
  auto text = read_file(path, kPage);
  if (!text) {
    // ENODEV comes from a device that has just gone away.
    if (text.error().code != ENOENT && text.error().code != ENOTDIR && text.error().code != ENODEV) ++unread;
    return std::nullopt;
  }
  while (!text->empty() && (text->back() == '\n' || text->back() == ' ')) text->pop_back();
  return std::move(*text);
}

}  // namespace

std::optional<std::uint64_t> read_number(const std::string& path, std::uint64_t& unread) {
  const auto text = read_text(path, unread);
  if (!text) return std::nullopt;
  const auto number = whole_number(*text);
  if (!number) ++unread;
  return number;
}

std::string label_text(std::string_view text) {
  std::string label(text.substr(0, kLongestLabel));
  for (char& c : label) {
    const bool fits = is_alphanumeric(c) || c == '-' || c == '_' || c == '.' || c == ':';
    if (!fits) c = '_';
  }
  return label;
}

std::optional<std::string> read_label(const std::string& path, std::uint64_t& unread) {
  const auto text = read_text(path, unread);
  if (!text) return std::nullopt;
  if (text->empty()) {
    ++unread;
    return std::nullopt;
  }
  return label_text(*text);
}

std::vector<std::string> names_in(const std::string& directory, std::size_t most, std::uint64_t& unread) {
  namespace fs = std::filesystem;
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    if (names.size() == most) {
      ++unread;
      break;
    }
    names.push_back(at->path().filename().string());
  }
  if (error && error != std::errc::no_such_file_or_directory) ++unread;
  std::ranges::sort(names);
  return names;
}

}  // namespace flowtap::telemetry
