// A connected, non-blocking socket for an Address.
#pragma once

#include "base/fd.hpp"
#include "base/result.hpp"
#include "stats/backends/sending/address.hpp"

namespace flowtap::stats {

/// What a person can do where a receiver refuses with this errno.
[[nodiscard]] std::string receiver_hint(int error);

/// Connects within a second, not counting name resolution. The Error carries the errno of the last attempt.
[[nodiscard]] Result<Fd> connect_socket(const Address& address);

}  // namespace flowtap::stats
