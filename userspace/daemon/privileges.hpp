// Which privileges stay once everything is started.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "daemon/config/config.hpp"

namespace flowtap {

/// The capabilities that a backend would have if it had been switched on at the start.
class GivenUp {
 public:
  GivenUp() = default;  ///< nothing was given up
  explicit GivenUp(std::uint64_t capabilities) : capabilities_(capabilities) {}

  /// A hint for a backend (by its name in the configuration) to which the kernel refused something with this errno;
  /// empty if no capability that was given up would have helped.
  [[nodiscard]] std::string hint(std::string_view backend, int error) const;

 private:
  std::uint64_t capabilities_ = 0;
};

/// Drops every capability but those that the enabled parts still need (the table is in the .cpp). This is for good and
/// holds for all threads that are made later, so call it before the first thread. It does nothing if there are no
/// capabilities to drop. Parts that SIGHUP switches on later may miss the capabilities that it returns.
[[nodiscard]] Result<GivenUp> drop_privileges(const Config& config);

}  // namespace flowtap
