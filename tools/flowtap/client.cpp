#include "client.hpp"

#include <sys/un.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "api/lock_holders.hpp"
#include "api/socket_path.hpp"
#include "base/printable.hpp"
#include "http/unix/listener.hpp"
#include "running_daemon.hpp"

namespace flowtap::cli {
namespace {

std::string directory_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

// An answer that did not come, or was cut off. The socket may be another process's by now, and flowtapd may go on.
Error broken_off(const Error& error, const std::string& path, const std::string& root) {
  auto daemon = running_daemon(root);
  if (daemon && !has_state_dir(*daemon, directory_of(path))) daemon.reset();  // another one
  const auto listener = http::listener_on(path);
  if (!listener && daemon) {
    Error nobody = nobody_listens(directory_of(path), daemon, has_unit(root));
    return {error.what + ", and now " + nobody.what, std::move(nobody.hint), error.code};
  }
  if (!listener)
    return {error.what,
            has_unit(root) ? "flowtapd has ended, and systemctl status flowtapd says why"
                           : "flowtapd has ended, and its log says why",
            error.code};
  const bool is_called_otherwise = !listener->comm.empty() && !listener->comm.starts_with(api::kDaemon);
  if (is_called_otherwise && daemon && daemon->pid != std::to_string(listener->pid))
    return {error.what + ": " + listener->words() + " listens there, and not flowtapd, which runs (process " +
                printable(daemon->pid) + ")",
            "end that process; flowtapd then makes its socket again", error.code};
  // It may have been started again, or have made its API anew.
  const std::string who =
      is_called_otherwise ? listener->words() + ", which listens there, flowtapd and" : "flowtapd";
  return {error.what, "ask again; if that fails, too, is " + who + " in good health? its log may say more",
          error.code};
}

}  // namespace

Failure failure_of(const Error& error, const std::string& path, const std::string& root) {
  const std::string socket = printable(path);
  if (error.code == ENOENT || error.code == ECONNREFUSED)
    return {nobody_listens(directory_of(path), running_daemon(root), has_unit(root)), kNoDaemon};
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
  return {broken_off(error, path, root), kFailure};
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
