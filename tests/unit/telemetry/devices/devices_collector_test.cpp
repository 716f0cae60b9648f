// Vendors beside each other: whatever one of them does, the others are not affected.
#include "telemetry/devices/devices_collector.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <future>

#include "telemetry/collecting/collectors.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/telemetry/node/collected.hpp"

namespace flowtap::telemetry {
namespace {

using namespace std::chrono_literals;

class Watts final : public Device {
 public:
  explicit Watts(std::string_view vendor) : identity_{.vendor = vendor, .device = "0000:01:00.0"} {}
  [[nodiscard]] const DeviceIdentity& identity() const override { return identity_; }
  [[nodiscard]] DeviceValues read(DeviceClock::time_point /*now*/, std::uint64_t& /*unread*/) override {
    DeviceValues values;
    values.watts = 100;
    return values;
  }

 private:
  DeviceIdentity identity_;
};

// A vendor with one device, which answers as soon as `hang` is over.
class Vendor final : public DeviceVendor {
 public:
  Vendor(std::string_view source, std::string_view collector, std::string_view vendor,
         std::shared_future<void> hang = {})
      : source_(source), collector_(collector), device_(vendor), hang_(std::move(hang)) {}

  [[nodiscard]] std::string_view source() const override { return source_; }
  [[nodiscard]] std::string_view collector() const override { return collector_; }
  [[nodiscard]] std::vector<Device*> devices(DeviceClock::time_point /*now*/,
                                             std::uint64_t& /*unread*/) override {
    if (hang_.valid()) hang_.wait();
    return {&device_};
  }

 private:
  std::string_view source_;
  std::string_view collector_;
  Watts device_;
  std::shared_future<void> hang_;
};

std::unique_ptr<Collector> collector_of(std::unique_ptr<DeviceVendor> vendor,
                                        const std::shared_ptr<DeviceBoard>& board) {
  return std::make_unique<DevicesCollector>(std::move(vendor), nullptr, board, 5min);
}

std::vector<std::string> powers(const std::vector<stats::Series>& all) {
  std::vector<std::string> names;
  for (const stats::Series& series : all)
    if (const std::string name = series_name(series); name.find("_power_watts") != std::string::npos)
      names.push_back(name);
  return names;
}

TEST(DevicesCollector, ADriverThatHangsTakesNoOtherVendorsValuesAway) {
  std::promise<void> answer;
  const auto board = std::make_shared<DeviceBoard>();
  Collectors collectors;
  collectors.add(collector_of(
      std::make_unique<Vendor>("nvml", "devices_nvidia", "nvidia", answer.get_future().share()), board));
  collectors.add(collector_of(std::make_unique<Vendor>("amdgpu", "devices_amd", "amd"), board));
  for (int i = 0; i < 2; ++i) {
    std::vector<stats::Series> all;
    EXPECT_TRUE(test::eventually([&] {  // on a busy machine both may be late
      all.clear();
      collectors.collect(200ms, all);
      return !powers(all).empty();
    }));
    EXPECT_EQ(powers(all),
              (std::vector<std::string>{"flowtap_device_power_watts{vendor=amd,device=0000:01:00.0,uuid=}"}));
  }
  EXPECT_EQ(board->read(), "GPU: 1 by amdgpu");
  const auto states = collectors.states();
  EXPECT_EQ(states.at(0).name, "devices_nvidia");
  EXPECT_TRUE(states.at(0).late);
  EXPECT_EQ(states.at(1).name, "devices_amd");
  EXPECT_FALSE(states.at(1).late);

  answer.set_value();
  std::vector<stats::Series> all;
  // The first call may still be under way, and nobody waits for it.
  EXPECT_TRUE(test::eventually([&] {
    all.clear();
    collectors.collect(5s, all);
    return powers(all).size() == 2;
  }));
  EXPECT_EQ(board->read(), "GPU: 1 by amdgpu, 1 by nvml");
}

}  // namespace
}  // namespace flowtap::telemetry
