#include "api/bearer.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cerrno>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "base/hash/sha256.hpp"
#include "base/printable.hpp"
#include "base/trimmed.hpp"

namespace flowtap::api {
namespace {

constexpr std::chrono::seconds kLookPause(1);
constexpr std::string_view kScheme = "bearer ";
constexpr std::string_view kSpace = " \t\r";  // \r, as the file may come from Windows
constexpr std::string_view kHint =
    "write a token of 16 bytes or more into it (openssl rand -hex 32), and chmod 0600";

std::string unread_hint(int error) {
  const bool is_denied = error == EACCES || error == EPERM;
  return is_denied ? "let flowtapd read it: chown root, chmod 0600, and a directory that it may enter"
                   : std::string(kHint);
}

}  // namespace

Result<BearerTokens> BearerTokens::load(std::string path) {
  BearerTokens tokens(std::move(path));
  FTAP_TRY(tokens.read());
  return tokens;
}

BearerTokens::Version BearerTokens::version_of(const struct stat& status) {
  return {status.st_ino, std::int64_t{status.st_ctim.tv_sec} * 1'000'000'000 + status.st_ctim.tv_nsec};
}

Status BearerTokens::read() {
  const std::string named = "the API's tokens in " + in_quotes(path_);
  const Fd file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status{};
  if (!file.valid() || ::fstat(file.get(), &status) != 0)
    return fail_errno(errno, "cannot read " + named, unread_hint(errno));
  if (!S_ISREG(status.st_mode)) return fail(named + " are not in a regular file", std::string(kHint));
  if ((status.st_mode & (S_IRWXO | S_IWGRP)) != 0)
    return fail(named + " can be read by everybody, or written by a group", std::string(kHint));
  // Reads the file that was checked: the path may lead to another one by now.
  FTAP_TRY_ASSIGN(text, read_file("/proc/self/fd/" + std::to_string(file.get()), kMostBytes));
  std::vector<Digest> digests;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t newline = std::min(rest.find('\n'), rest.size());
    const std::string_view token = trimmed(rest.substr(0, newline), kSpace);
    rest.remove_prefix(std::min(newline + 1, rest.size()));
    if (token.empty() || token.starts_with('#')) continue;
    if (token.size() < kLeastToken) return fail(named + " are too short", std::string(kHint));
    digests.push_back(sha256(token));
  }
  if (digests.empty()) return fail("there are no tokens in " + in_quotes(path_), std::string(kHint));
  digests_ = std::move(digests);
  seen_ = version_of(status);
  return {};
}

// A file that is not a list of tokens, such as one that is being written, changes nothing. A file that is gone lets
// nobody in.
void BearerTokens::look() {
  const auto now = Clock::now();
  if (now < next_look_) return;
  next_look_ = now + kLookPause;
  struct stat status{};
  if (::stat(path_.c_str(), &status) != 0) {
    health_ = fail_errno(errno, "nobody is let in: cannot read the API's tokens in " + in_quotes(path_),
                         unread_hint(errno));
    digests_.clear();
    seen_ = {};
    return;
  }
  health_ = version_of(status) == seen_ ? Status() : read();
  if (!health_) health_ = std::unexpected(Error(health_.error()).in("the earlier tokens are still valid"));
}

Status BearerTokens::health() {
  const std::scoped_lock lock(mutex_);
  look();
  return health_;
}

std::optional<std::string_view> bearer_token(std::string_view authorization) {
  // RFC 9110, 11.1: the scheme may be in upper or lower case.
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  if (!std::ranges::equal(authorization.substr(0, kScheme.size()), kScheme, same)) return std::nullopt;
  const std::string_view token = trimmed(authorization.substr(kScheme.size()), kSpace);
  return token.empty() ? std::nullopt : std::optional(token);
}

bool BearerTokens::accepts(std::string_view authorization) {
  const auto token = bearer_token(authorization);
  if (!token) return false;
  // These are digests: a guess that has all bytes right but one is as far off as any other.
  const Digest given = sha256(*token);
  const std::scoped_lock lock(mutex_);
  look();
  bool known = false;
  for (const Digest& digest : digests_) {
    std::uint8_t differs = 0;
    for (std::size_t i = 0; i < digest.size(); ++i)
      differs = static_cast<std::uint8_t>(differs | (digest.at(i) ^ given.at(i)));
    known = known || differs == 0;
  }
  return known;
}

}  // namespace flowtap::api
