// A node in a fake tree, whose energy is read once a second.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "telemetry/energy/energy.hpp"
#include "tests/support/files/file_tree.hpp"
#include "tests/unit/telemetry/energy/zones.hpp"

namespace flowtap::test {

inline constexpr std::uint64_t kJoule = 1'000'000;

inline void set_cpu(FileTree& tree, std::uint64_t busy_ticks, std::uint64_t idle_ticks) {
  tree.file("stat", "cpu  " + std::to_string(busy_ticks) + " 0 0 " + std::to_string(idle_ticks) +
                        " 0 0 0 77777 0 0\ncpu0 1 2 3\n");
}

class EnergyNode {
 public:
  explicit EnergyNode(std::shared_ptr<telemetry::EnergyConsumers> consumers = nullptr)
      : sensors_(tree.root(), board_, [this] { return now_; }),
        energy_({.sysfs = tree.root(),
                 .proc = tree.root(),
                 .sensors = board_,
                 .consumers = std::move(consumers),
                 .devices = devices},
                [this] { return now_; }) {
    set_cpu(tree, 0, 0);
  }

  telemetry::Collected collect(telemetry::EnergyClock::duration later = std::chrono::seconds(1)) {
    now_ += later;
    telemetry::Collected out;
    if (sensors_answer) sensors_.collect(out);
    energy_.collect(out);
    return out;
  }
  [[nodiscard]] const telemetry::EnergyCollector& energy() const { return energy_; }
  [[nodiscard]] const telemetry::EnergyAttribution& attribution() const { return energy_.attribution(); }

  FileTree tree;
  std::shared_ptr<telemetry::DeviceJoules> devices = std::make_shared<telemetry::DeviceJoules>();
  bool sensors_answer = true;  ///< in this second; before the energy is read

 private:
  telemetry::EnergyClock::time_point now_{std::chrono::hours(1)};
  std::shared_ptr<telemetry::SensorBoard> board_ = std::make_shared<telemetry::SensorBoard>();
  telemetry::SensorCollector sensors_;
  telemetry::EnergyCollector energy_;
};

/// The series by "family label label".
using Values = std::map<std::string, double>;

inline Values values(const telemetry::Collected& out) {
  Values all;
  for (const stats::Series& series : out.series) {
    const stats::Family& family = stats::family(series.stat->family);
    EXPECT_EQ(series.labels.size(), stats::label_count(family.labels));
    std::string name(family.name);
    for (const std::string& label : series.labels) name += " " + label;
    const auto* whole = std::get_if<std::uint64_t>(&series.value);
    EXPECT_TRUE(
        all.emplace(name, whole != nullptr ? static_cast<double>(*whole) : std::get<double>(series.value))
            .second)
        << name << " twice";
  }
  return all;
}

}  // namespace flowtap::test
