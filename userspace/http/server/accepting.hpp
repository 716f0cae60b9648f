// Accepts connections and gives each of them one of a bounded number of places.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <utility>

#include "http/connection/closing.hpp"
#include "http/connection/connection.hpp"
#include "http/limits/answer_counts.hpp"
#include "http/limits/seats.hpp"
#include "http/messages/message.hpp"
#include "http/server/accept_trouble.hpp"
#include "http/server/service.hpp"

namespace flowtap::http {

/// Gives each connection to `seated`, until the service closes. `trouble` has why none can be given meanwhile.
template <typename Acceptor, typename Seated>
boost::asio::awaitable<void> accept_all(Acceptor& acceptor, const Closing& closing, AcceptTrouble& trouble,
                                        Seated seated) {
  while (true) {
    auto [error, socket] = co_await acceptor.async_accept(kAwait);
    if (closing.begun()) co_return;
    if (!error) {
      trouble.let_in();
      seated(std::move(socket));
      continue;
    }
    trouble.failed(error.value());
    // Out of descriptors or memory: trying again at once would only use up the CPU that others need.
    boost::asio::steady_timer pause(acceptor.get_executor(), std::chrono::milliseconds(100));
    co_await pause.async_wait(kAwait);
  }
}

/// Beyond this bound the socket just closes, since clients that are turned away must not take all descriptors either.
template <typename Executor>
void seat(const Executor& executor, Seats& seats, AnswerCounts& counts,
          boost::asio::awaitable<void> session) {
  auto taken = seats.take();
  if (!taken) return counts.add(AnswerCounts::kNone);
  boost::asio::co_spawn(
      executor,
      [](Seats::Seat, boost::asio::awaitable<void> inner) -> boost::asio::awaitable<void> {
        co_await std::move(inner);
      }(std::move(*taken), std::move(session)),
      boost::asio::detached);
}

/// The connections that are being turned away.
inline constexpr SessionLimits kTurnAway{.time = std::chrono::milliseconds(1000)};

/// The answer to a client that finds no place.
[[nodiscard]] inline Answer full_house() {
  return error_answer(503, "too many connections are open", "close some, or try again in a moment");
}

}  // namespace flowtap::http
