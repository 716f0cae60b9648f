// Any bytes as what a server or a proxy answers: the reading ends, within the limits.
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <string>
#include <utility>

#include "http/outbound/exchange.hpp"
#include "tests/fuzz/require.hpp"

namespace {

using namespace flowtap;
using fuzz::require;

const http::ClientLimits kLimits{.headers = 1024, .body = 4096};

boost::asio::awaitable<void> read(http::Exchange& exchange, bool no_body, bool taken, bool& is_done) {
  auto head = co_await exchange.read_head(no_body);
  if (head) {
    require(head->status >= 200 && head->status <= 999);
    std::size_t size = 0;
    for (const auto& [name, value] : head->headers) size += name.size() + value.size();
    require(size <= kLimits.headers);
    std::size_t got = 0;
    std::function<bool(std::string_view)> take;
    if (taken)
      take = [&got](std::string_view piece) {
        got += piece.size();
        return got < 10'000;
      };
    const auto body = co_await exchange.read_body(std::move(take));
    if (body) require(body->size() <= kLimits.body && (!taken || body->empty()));
    if (body && no_body) require(body->empty() && got == 0);
    if (!body) require(!body.error().what.empty() && !exchange.is_reusable());
  } else {
    require(!head.error().what.empty() && !exchange.is_reusable());
  }
  is_done = true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 64 * 1024) return 0;  // what the socket takes at once
  const std::uint8_t options = *data;
  std::array<int, 2> ends{};
  require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
  require(::send(ends[1], data + 1, size - 1, MSG_DONTWAIT) == static_cast<ssize_t>(size - 1));
  ::shutdown(ends[1], SHUT_WR);

  const http::TlsFiles files;
  const http::SettingNames names;
  http::Closing closing;
  boost::asio::io_context io(1);
  http::Connection connection(http::Socket(io, boost::asio::generic::stream_protocol(AF_UNIX, 0), ends[0]));
  http::Exchange exchange(
      connection, {kLimits, files, names, closing, http::Patience::from_now(std::chrono::hours(1), {})});
  bool is_done = false;
  boost::asio::co_spawn(io, read(exchange, (options & 1U) != 0, (options & 2U) != 0, is_done),
                        boost::asio::detached);
  for (int round = 0; !is_done && round < 1'000'000; ++round) io.poll();
  require(is_done);
  ::close(ends[1]);
  return 0;
}
