// Finds the addresses of a server's name, without waiting longer than its caller does.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/address.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "http/connection/closing.hpp"
#include "http/connection/loop_waker.hpp"
#include "http/outbound/client_options.hpp"
#include "http/outbound/patience.hpp"

namespace flowtap::http {

using Addresses = std::vector<boost::asio::ip::address>;

/// Asks anew each time. A lookup that hangs is not started a second time: who asks meanwhile waits for it.
class Resolving {
 public:
  Resolving(Resolve resolve, const LoopWaker& waker, Closing& closing)
      : resolve_(std::move(resolve)), waker_(waker), closing_(closing) {}

  /// At least one, in the order in which they are to be tried. A host that is an address has only that one.
  [[nodiscard]] boost::asio::awaitable<Result<Addresses>> addresses(std::string host, Patience patience);

 private:
  struct Lookup;
  [[nodiscard]] Result<std::shared_ptr<Lookup>> begun(const std::string& host);

  Resolve resolve_;
  const LoopWaker& waker_;
  Closing& closing_;
  std::shared_ptr<Lookup> last_;
};

}  // namespace flowtap::http
