// Asks the kernel whether we can listen on an address, since the server library does not say why it could not.
#pragma once

#include "base/result.hpp"
#include "stats/backends/sending/address.hpp"

namespace flowtap::stats {

/// Listens there and stops again. The address comes from parse_listen_address() and stands in prometheus.address.
[[nodiscard]] Status probe_listen(const Address& address);

}  // namespace flowtap::stats
