// A request waits here until it is known whether it may be answered.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>

#include "http/messages/handler.hpp"

namespace flowtap::http {

/// What the request is refused with; absent: it may be answered. `authorization` is that header's value.
boost::asio::awaitable<std::optional<Answer>> refusal_of(Gate& gate, std::string authorization,
                                                         std::string target);

}  // namespace flowtap::http
