#include "client.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstdio>

#include "api/socket_path.hpp"
#include "base/fd.hpp"
#include "base/printable.hpp"
#include "running_daemon.hpp"

namespace flowtap::cli {
namespace {

// A flowtapd that ends takes its socket with it, and that of one that was killed refuses.
bool listens(const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  path.copy(static_cast<char*>(name.sun_path), sizeof(name.sun_path) - 1);
  const Fd end(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  return !end.valid() || ::connect(end.get(), reinterpret_cast<const sockaddr*>(&name), sizeof(name)) == 0 ||
         (errno != ENOENT && errno != ECONNREFUSED);
}

}  // namespace

Failure failure_of(const Error& error, const std::string& path) {
  const std::string socket = printable(path);
  if (error.code == ENOENT || error.code == ECONNREFUSED)
    return {nobody_listens(path.substr(0, path.rfind('/')), running_daemon(), has_unit()), kNoDaemon};
  if (error.code == EACCES || error.code == EPERM)
    return {
        {"this user may not connect to " + socket,
         "use sudo, or join the group that api.socket_group names in flowtapd's configuration", error.code},
        kFailure};
  if (path.size() >= sizeof(sockaddr_un::sun_path))
    return {{"the path of the socket is too long: " + socket,
             "name the state directory by a shorter path, such as a link to it", ENAMETOOLONG},
            kFailure};
  if (error.code == ENOTDIR)
    return {
        {"a part of the path " + socket + " is no directory",
         "--state-dir takes the state directory of flowtapd (state_dir in its configuration)", error.code},
        kFailure};
  if (listens(path))
    return {{error.what, "is flowtapd in good health? its log may say more", error.code}, kFailure};
  return {{error.what,
           has_unit() ? "flowtapd has ended, and systemctl status flowtapd says why"
                      : "flowtapd has ended, and its log says why",
           error.code},
          kFailure};
}

Failure failure_of(const http::Reply& reply) {
  return {http::refusal(reply), reply.status == 404 ? kNotFound : kFailure, reply.status == 503};
}

Answer<std::string> ask(const std::string& state_dir, std::string_view target) {
  const std::string socket = api::socket_path(state_dir);
  auto reply = http::fetch(socket, std::string(target));
  if (!reply) return std::unexpected(failure_of(reply.error(), socket));
  if (reply->status == 200) return std::move(reply->body);
  return std::unexpected(failure_of(*reply));
}

ExitCode show(const std::string& state_dir, std::string_view target, bool json,
              const std::function<Result<std::string>(std::string_view body)>& text_of) {
  const auto body = ask(state_dir, target);
  if (!body) {
    complain(body.error().error);
    return body.error().exit;
  }
  const auto text = json ? *body + '\n' : text_of(*body);
  if (!text) {
    complain(text.error());
    return kFailure;
  }
  std::fputs(text->c_str(), stdout);
  return kOk;
}

void complain(const Error& error) {
  std::fflush(stdout);
  std::fprintf(stderr, "flowtap: %s\n", printable(error.what).c_str());
  if (!error.hint.empty()) std::fprintf(stderr, "  hint: %s\n", printable(error.hint).c_str());
}

}  // namespace flowtap::cli
