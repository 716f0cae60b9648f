#include "telemetry/devices/drm_fdinfo.hpp"

#include <gtest/gtest.h>

namespace flowtap::telemetry {
namespace {

// The form is that of Documentation/gpu/drm-usage-stats.rst and drivers/gpu/drm/xe.
constexpr std::string_view kXe =
    "pos:\t0\nflags:\t0100002\nmnt_id:\t26\nino:\t685\ndrm-driver:\txe\ndrm-client-id:\t3\ndrm-pdev:\t0000:"
    "03:00.0\n"
    "drm-total-system:\t0\ndrm-total-gtt:\t192 KiB\ndrm-resident-gtt:\t192 KiB\n"
    "drm-total-vram0:\t23992 KiB\ndrm-shared-vram0:\t16 "
    "MiB\ndrm-active-vram0:\t0\ndrm-resident-vram0:\t20000 KiB\n"
    "drm-cycles-rcs:\t28257900\ndrm-total-cycles-rcs:\t7655183225\n"
    "drm-cycles-vcs:\t5\ndrm-total-cycles-vcs:\t7655183225\ndrm-engine-capacity-vcs:\t2\n";
constexpr std::string_view kAmd =
    "pos:\t0\ndrm-driver:\tamdgpu\ndrm-client-id:\t42\ndrm-pdev:\t0000:0a:00.0\ndrm-memory-vram:\t1024 KiB\n"
    "drm-memory-gtt:\t5 KiB\ndrm-memory-cpu:\t0 KiB\ndrm-engine-gfx:\t5000000 ns\ndrm-engine-compute:\t7 "
    "ns\n";

TEST(DrmFdinfo, EnginesInCyclesAndMemoryByRegion) {
  const auto client = parse_drm_fdinfo(kXe);
  ASSERT_TRUE(client);
  EXPECT_EQ(client->driver, "xe");
  EXPECT_EQ(client->device, "0000:03:00.0");
  EXPECT_EQ(client->id, 3U);
  ASSERT_EQ(client->engines.size(), 2U);
  EXPECT_EQ(client->engines.at("rcs"),
            (DrmEngine{.busy_ns = {}, .cycles = 28257900, .total_cycles = 7655183225, .capacity = 1}));
  EXPECT_EQ(client->engines.at("vcs").capacity, 2U);
  EXPECT_EQ(client->memories.at("gtt"), (DrmMemory{.total = 192 << 10, .resident = 192 << 10}));
  EXPECT_EQ(client->own_memory(), 20000U << 10U) << "what is resident of the device's own";
}

TEST(DrmFdinfo, EnginesInTimeAndMemoryAsOlderDriversHaveIt) {
  const auto client = parse_drm_fdinfo(kAmd);
  ASSERT_TRUE(client);
  EXPECT_EQ(client->engines.at("gfx").busy_ns, 5'000'000U);
  EXPECT_EQ(client->own_memory(), 1U << 20U);
}

TEST(DrmFdinfo, WithoutResidentMemoryItIsAllOfIt) {
  EXPECT_EQ(parse_drm_fdinfo("drm-driver: i915\ndrm-client-id: 1\ndrm-total-local0: 3 MiB\n")->own_memory(),
            3U << 20U);
  EXPECT_FALSE(
      parse_drm_fdinfo("drm-driver: i915\ndrm-client-id: 1\ndrm-total-system0: 3 MiB\n")->own_memory());
}

TEST(DrmFdinfo, WhatIsNoGpuIsNone) {
  EXPECT_FALSE(parse_drm_fdinfo(""));
  EXPECT_FALSE(parse_drm_fdinfo("pos:\t0\nflags:\t02\nmnt_id:\t15\nino:\t6\n"));
  EXPECT_FALSE(parse_drm_fdinfo("drm-driver: ast\n")) << "no client";
  EXPECT_FALSE(parse_drm_fdinfo("drm-client-id: 5\n")) << "no driver";
}

TEST(DrmFdinfo, WhatIsNoNumberIsLeftOut) {
  const auto client = parse_drm_fdinfo(
      "drm-driver: a\ndrm-client-id: 1\ndrm-engine-gfx: -5 ns\ndrm-engine-dma: 18446744073709551616 ns\n"
      "drm-total-vram: 18446744073709551615 KiB\ndrm-resident-vram: 5 furlongs\ndrm-engine-capacity-x: "
      "99999999\n"
      "drm-cycles-:5\nno colon\n:\n");
  ASSERT_TRUE(client);
  EXPECT_EQ(client->engines.size(), 1U);
  EXPECT_EQ(client->engines.at("x").capacity, 1024U);
  EXPECT_TRUE(client->memories.empty());
}

TEST(DrmFdinfo, KindsHaveABound) {
  std::string text = "drm-driver: a\ndrm-client-id: 1\n";
  for (int i = 0; i < 1000; ++i)
    text += "drm-engine-e" + std::to_string(i) + ": 1 ns\ndrm-total-m" + std::to_string(i) + ": 1\n";
  const auto client = parse_drm_fdinfo(text);
  ASSERT_TRUE(client);
  EXPECT_EQ(client->engines.size(), 32U);
  EXPECT_EQ(client->memories.size(), 32U);
}

TEST(DrmFdinfo, ARatioIsOfTimeOrOfCycles) {
  const auto ns = [](std::uint64_t busy) { return DrmEngine{.busy_ns = busy}; };
  EXPECT_DOUBLE_EQ(*engine_ratio(ns(100), ns(350), 1000), 0.25);
  EXPECT_DOUBLE_EQ(*engine_ratio(ns(0), ns(5000), 1000), 1.0);
  EXPECT_FALSE(engine_ratio(ns(500), ns(100), 1000)) << "went back";
  EXPECT_FALSE(engine_ratio(ns(0), ns(0), 0));
  EXPECT_FALSE(engine_ratio({}, ns(5), 1000));
  const auto cycles = [](std::uint64_t busy, std::uint64_t all) {
    return DrmEngine{.busy_ns = {}, .cycles = busy, .total_cycles = all, .capacity = 2};
  };
  EXPECT_DOUBLE_EQ(*engine_ratio(cycles(0, 1000), cycles(500, 2000), 1), 0.25)
      << "one of two engines, half the time";
  EXPECT_FALSE(engine_ratio(cycles(0, 1000), cycles(500, 1000), 1));
}

}  // namespace
}  // namespace flowtap::telemetry
