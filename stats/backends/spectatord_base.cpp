#include "stats/backends/spectatord_base.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>

#include "base/fd.hpp"
#include "base/file.hpp"

namespace flowtap::stats {
namespace {

constexpr std::string_view kMagic = "flowtap-spectatord-base 1 ";
constexpr std::size_t kMaxFile = std::size_t{64} << 20U;

/// FNV-1a finds a torn or edited file; it does not protect against somebody who may write to the state directory.
std::uint64_t checksum(std::string_view body) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : body) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

/// Takes the number before `end` off the front of `text`.
bool take_number(std::string_view& text, char end, std::uint64_t& value) {
  const auto stop = text.find(end);
  if (stop == std::string_view::npos || stop == 0) return false;
  const std::string_view digits = text.substr(0, stop);
  const auto [at, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || at != digits.data() + digits.size()) return false;
  text.remove_prefix(stop + 1);
  return true;
}

}  // namespace

Result<BaseValues> parse_base(std::string_view text) {
  std::uint64_t size = 0;
  std::uint64_t sum = 0;
  if (!text.starts_with(kMagic)) return fail("it does not begin like such a file");
  text.remove_prefix(kMagic.size());
  if (!take_number(text, ' ', size) || !take_number(text, '\n', sum)) return fail("its first line is broken");
  if (size != text.size() || sum != checksum(text)) return fail("its checksum is wrong");
  BaseValues values;
  while (!text.empty()) {
    std::uint64_t value = 0;
    if (!take_number(text, ' ', value)) return fail("a value is not a number");
    const auto end = text.find('\n');
    if (end == std::string_view::npos || end == 0) return fail("a line has no name");
    if (!values.try_emplace(std::string(text.substr(0, end)), value).second)
      return fail("a name is in it twice");
    text.remove_prefix(end + 1);
  }
  return values;
}

std::string format_base(const BaseValues& values) {
  std::string body;
  for (const auto& [key, value] : values)
    body.append(std::to_string(value)).append(" ").append(key).append("\n");
  std::string text(kMagic);
  text.append(std::to_string(body.size())).append(" ").append(std::to_string(checksum(body))).append("\n");
  return text + body;
}

Result<BaseValues> read_base(const std::string& path) {
  const auto text = read_file(path, kMaxFile);
  if (!text && text.error().code == ENOENT) return BaseValues{};
  if (!text) return std::unexpected(text.error());
  auto values = parse_base(*text);
  if (!values) return fail("cannot use " + path + ": " + values.error().what);
  return values;
}

Status write_base(const std::string& path, const BaseValues& values) {
  const std::string fresh = path + ".new";
  const Fd fd(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid()) return fail_errno(errno, "cannot create " + fresh);
  FTAP_TRY(write_all(fd.get(), format_base(values), fresh));
  if (::rename(fresh.c_str(), path.c_str()) != 0) return fail_errno(errno, "cannot replace " + path);
  return {};
}

}  // namespace flowtap::stats
