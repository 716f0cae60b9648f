// What a series is labelled with and does not say itself: the machine's name, a device's model and whose it is.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "stats/snapshot.hpp"

namespace flowtap::stats::compat {

/// The value of one of our labels; empty where the series has none of that name.
[[nodiscard]] std::string_view label(const Series& series, std::string_view key);

/// The one pod that uses a device. `container` is empty where several of its containers do.
struct PodOnDevice {
  std::string ns{};
  std::string pod{};
  std::string container{};
};

class Surroundings {
 public:
  /// `host`: this machine's name; empty where it is not known.
  Surroundings(const Snapshot& snapshot, std::string host);

  [[nodiscard]] const std::string& host() const { return host_; }
  /// Of the device that the series is of; empty where it is not told.
  [[nodiscard]] std::string_view model(const Series& series) const;
  /// Null where no pod has a process on the device, or several have. Parts of a GPU (MIG) are no such devices.
  [[nodiscard]] const PodOnDevice* pod_on(const Series& series) const;

 private:
  std::string host_;
  std::map<std::string, std::string, std::less<>> models_;  // by the device's address
  std::map<std::string, PodOnDevice, std::less<>> users_;   // alike; without a pod where there are several
};

}  // namespace flowtap::stats::compat
