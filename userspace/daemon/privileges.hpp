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
  GivenUp() = default;  ///< nothing was
  explicit GivenUp(std::uint64_t capabilities) : capabilities_(capabilities) {}

  /// The way out for a backend (by its name in the configuration) that the kernel refused something with this
  /// errno; empty where no capability that was given up would have helped.
  [[nodiscard]] std::string hint(std::string_view backend, int error) const;

 private:
  std::uint64_t capabilities_ = 0;
};

/// Drops every capability but those that the enabled parts still need (the table is in the .cpp), for all
/// threads made from here on and for good: call it before the first thread. Nothing happens without
/// capabilities to drop. What SIGHUP switches on later may miss what it returns.
[[nodiscard]] Result<GivenUp> drop_privileges(const Config& config);

}  // namespace flowtap
