// Asks the kernel whether an address can be listened at, for a server library that does not say why it could
// not.
#pragma once

#include "base/result.hpp"
#include "stats/backends/sending/address.hpp"

namespace flowtap::stats {

/// Listens there and stops again. The address is one of parse_listen_address().
[[nodiscard]] Status probe_listen(const Address& address);

}  // namespace flowtap::stats
