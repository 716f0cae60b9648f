// Lets a request wait until it is known whether it may be answered.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>

#include "http/messages/handler.hpp"

namespace flowtap::http {

/// The refusal of the request; absent: it may be answered. `authorization` is the value of that header.
boost::asio::awaitable<std::optional<Answer>> refusal_of(Gate& gate, std::string authorization,
                                                         std::string target);

}  // namespace flowtap::http
