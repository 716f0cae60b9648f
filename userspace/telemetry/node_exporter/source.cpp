#include "telemetry/node_exporter/source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>

#include "base/ascii.hpp"
#include "base/directory.hpp"
#include "base/fd.hpp"
#include "base/file.hpp"
#include "base/trimmed.hpp"

namespace flowtap::telemetry::node_exporter {

std::optional<double> number_in(std::string_view text) {
  if (text.starts_with("0x")) {
    std::uint64_t value = 0;
    const auto [end, ec] = std::from_chars(text.data() + 2, text.data() + text.size(), value, 16);
    return ec == std::errc{} && end == text.data() + text.size() ? std::optional(static_cast<double>(value))
                                                                 : std::nullopt;
  }
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = ec == std::errc{} && end == text.data() + text.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<std::uint64_t> hexadecimal_in(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return ec == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::string number_after(std::string_view prefix, const std::string& name) {
  std::string number = name.substr(prefix.size());
  return !number.empty() && is_digit(number.front()) ? number : std::string();
}

bool Source::may_open() {
  if (opened_ == kMostFiles) {
    failed_ = true;
    return false;
  }
  ++opened_;
  return true;
}

std::optional<std::string> Source::text(const std::string& path) {
  if (!may_open()) return std::nullopt;
  auto all = read_file(path, kMostText);
  if (all) return std::move(*all);
  if (all.error().code != ENOENT) failed_ = true;
  return std::nullopt;
}

std::optional<Source::OnDisk> Source::on_disk(const std::string& path) {
  if (!may_open()) return std::nullopt;
  // A pipe in its place is found out before anybody waits for it.
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status{};
  const bool regular = file.valid() && ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode);
  if (!regular) {
    if (file.valid() || errno != ENOENT) failed_ = true;
    return std::nullopt;
  }
  OnDisk found{.text = {}, .written = status.st_mtim.tv_sec};
  std::array<char, 16384> bytes{};
  while (true) {
    const ssize_t n = ::read(file.get(), bytes.data(), bytes.size());
    if (n == 0) return found;
    if (n < 0 || found.text.size() + static_cast<std::size_t>(n) > kMostText) {
      failed_ = true;
      return std::nullopt;
    }
    found.text.append(bytes.data(), static_cast<std::size_t>(n));
  }
}

std::optional<std::string> Source::line(const std::string& path) {
  if (!may_open()) return std::nullopt;
  // No pipe or terminal that somebody has put there may hold up the reading.
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.valid()) return std::nullopt;
  std::array<char, 4096> bytes{};  // sysfs has no longer ones
  const ssize_t n = ::read(file.get(), bytes.data(), bytes.size());
  if (n < 0) return std::nullopt;
  return std::string(trimmed({bytes.data(), static_cast<std::size_t>(n)}, std::string_view(" \t\r\n\0", 5)));
}

std::optional<double> Source::number(const std::string& path) {
  const auto text = line(path);
  return text ? number_in(*text) : std::nullopt;
}

std::vector<std::string> Source::names(const std::string& folder, std::string_view prefix) {
  if (!may_open()) return {};
  Fd directory(::open(folder.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY));
  if (!directory.valid()) return {};
  auto all = directory_names(std::move(directory), kMostNames, folder);
  if (!all) {
    failed_ = true;
    return {};
  }
  std::erase_if(*all, [prefix](const std::string& name) { return !name.starts_with(prefix); });
  std::ranges::sort(*all);
  return std::move(*all);
}

bool Source::is_there(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

}  // namespace flowtap::telemetry::node_exporter
