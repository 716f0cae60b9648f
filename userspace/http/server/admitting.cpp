#include "http/server/admitting.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <chrono>
#include <memory>
#include <utility>

#include "http/connection/connection.hpp"

namespace flowtap::http {

namespace asio = boost::asio;

namespace {

/// A question may have to wait for others; a client that waits longer than this is not let in.
constexpr std::chrono::seconds kPatience(8);

}  // namespace

asio::awaitable<std::optional<Answer>> refusal_of(Gate& gate, std::string authorization, std::string target) {
  if (auto verdict = gate.known(authorization, target)) co_return std::move(verdict->refusal);
  const auto executor = co_await asio::this_coro::executor;
  // The answer comes on another thread, and perhaps when nobody waits for it any more.
  const auto wait = std::make_shared<asio::steady_timer>(executor, kPatience);
  const std::weak_ptr<asio::steady_timer> waits = wait;
  gate.ask(authorization, target, [executor, waits] {
    asio::post(executor, [waits] {
      if (const auto timer = waits.lock()) timer->cancel();
    });
  });
  co_await wait->async_wait(kAwait);
  co_return gate.answered(authorization, target).refusal;
}

}  // namespace flowtap::http
