// Moments as people write them after --since.
#include "base/time/moment.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <ctime>
#include <optional>
#include <string>
#include <utility>

#include "base/rfc3339.hpp"

namespace flowtap {
namespace {

constexpr const char* kNow = "2026-11-28T20:15:30.500000000Z";

// In this zone it is 01:45 of the next day. It has no summer time, and no name that a machine would have to know.
class Moment : public testing::Test {
 protected:
  Moment() {
    if (const char* zone = ::getenv("TZ")) before_ = zone;  // NOLINT(concurrency-mt-unsafe): one thread
    set("IST-5:30");
  }
  ~Moment() override { set(before_ ? before_->c_str() : nullptr); }

  static std::string of(const std::string& text) {
    const auto moment = parse_moment(text, *parse_rfc3339(kNow));
    return moment ? rfc3339_nano(*moment) : moment.error().what + "; " + moment.error().hint;
  }

 private:
  static void set(const char* zone) {
    if (zone != nullptr)
      ::setenv("TZ", zone, 1);  // NOLINT(concurrency-mt-unsafe)
    else
      ::unsetenv("TZ");  // NOLINT(concurrency-mt-unsafe)
    ::tzset();
  }
  std::optional<std::string> before_;
};

TEST_F(Moment, IsReadInEachForm) {
  const std::array<std::pair<const char*, const char*>, 49> forms = {{
      // How long ago: kubectl, stern, docker, podman
      {"30s", "2026-11-28T20:15:00.500000000Z"},
      {"1h30m", "2026-11-28T18:45:30.500000000Z"},
      {"1.5h", "2026-11-28T18:45:30.500000000Z"},
      {"2d", "2026-11-26T20:15:30.500000000Z"},
      {"0s", kNow},
      {"0", kNow},
      {"200 years", "1970-01-01T00:00:00.000000000Z"},
      // The same for systemd
      {"-5min", "2026-11-28T20:10:30.500000000Z"},
      {"-1h 30m", "2026-11-28T18:45:30.500000000Z"},
      {"5 minutes ago", "2026-11-28T20:10:30.500000000Z"},
      {"1 hour ago", "2026-11-28T19:15:30.500000000Z"},
      {"now", kNow},
      {"today", "2026-11-28T18:30:00.000000000Z"},
      {"yesterday", "2026-11-27T18:30:00.000000000Z"},
      // RFC 3339
      {"2026-11-27T08:00:00Z", "2026-11-27T08:00:00.000000000Z"},
      {"2026-11-27T08:00:00.25Z", "2026-11-27T08:00:00.250000000Z"},
      {"2026-11-27T08:00:00+02:00", "2026-11-27T06:00:00.000000000Z"},
      {"2026-11-27T08:00:00.000000001-01:30", "2026-11-27T09:30:00.000000001Z"},
      // Without a part of it
      {"2026-11-27T08:00Z", "2026-11-27T08:00:00.000000000Z"},
      {"2026-11-27T08:00:00+0200", "2026-11-27T06:00:00.000000000Z"},
      {"2026-11-27T08:00:00", "2026-11-27T02:30:00.000000000Z"},
      {"2026-11-27T08:00:00.5", "2026-11-27T02:30:00.500000000Z"},
      {"2026-11-27T08:00", "2026-11-27T02:30:00.000000000Z"},
      {"2026-11-27", "2026-11-26T18:30:00.000000000Z"},
      {"2026-11-27Z", "2026-11-27T00:00:00.000000000Z"},
      {"2026-11-27 08:00:00", "2026-11-27T02:30:00.000000000Z"},
      {"2026-11-27 08:00", "2026-11-27T02:30:00.000000000Z"},
      {"2026-11-27 08:00:00 UTC", "2026-11-27T08:00:00.000000000Z"},
      {"2026-11-27 08:00:00 +02:00", "2026-11-27T06:00:00.000000000Z"},
      {"Fri 2026-11-27 08:00:00", "2026-11-27T02:30:00.000000000Z"},
      {"friday 2026-11-27 08:00 UTC", "2026-11-27T08:00:00.000000000Z"},
      {"SUN 2026-11-29", "2026-11-28T18:30:00.000000000Z"},
      {"yesterday 10:00", "2026-11-28T04:30:00.000000000Z"},
      {"yesterday 10:00:00.5", "2026-11-28T04:30:00.500000000Z"},
      {"today 01:00", "2026-11-28T19:30:00.000000000Z"},
      {"01:30", "2026-11-28T20:00:00.000000000Z"},
      {"01:30:15", "2026-11-28T20:00:15.000000000Z"},
      // The day is that of the zone
      {"20:00Z", "2026-11-28T20:00:00.000000000Z"},
      {"20:00:15 UTC", "2026-11-28T20:00:15.000000000Z"},
      {"05:15+09:00", "2026-11-28T20:15:00.000000000Z"},
      {"12:15:00 -0800", "2026-11-28T20:15:00.000000000Z"},
      {"yesterday 20:00Z", "2026-11-27T20:00:00.000000000Z"},
      {"today UTC", "2026-11-28T00:00:00.000000000Z"},
      {"yesterday UTC", "2026-11-27T00:00:00.000000000Z"},
      // Since 1970: docker, podman, systemd
      {"1764316800", "2025-11-28T08:00:00.000000000Z"},
      {"1764316800.5", "2025-11-28T08:00:00.500000000Z"},
      {"@1764316800", "2025-11-28T08:00:00.000000000Z"},
      {"@5", "1970-01-01T00:00:05.000000000Z"},
      {"1000000000", "2001-09-09T01:46:40.000000000Z"},
  }};
  for (const auto& [text, moment] : forms) EXPECT_EQ(of(text), moment) << text;
}

TEST_F(Moment, IsRefusedWithWhatToTypeInstead) {
  EXPECT_EQ(of("5"), R"("5" has no unit; 5s, 5m, 5h and 5d say how long ago)");
  for (const char* text :
       {"", " ", "soon", "tomorrow", "5x", "+5min", "- 5min", "ago", "5 ago", "2026-13-01",
        "2026-11-31T00:00:00Z", "2026-11-27T25:00:00Z", "2026-11-27T08:00:00X", "2026-11-27T08", "27.11.2026",
        "11/27/2026", "08:61", "8:00",
        // A word before a time that is no day of it
        "foo 10:00", "tomorrow 10:00", "yesterday10:00", "yesterday  10:00", "yesterdayT10:00",
        "yesterday yesterday", "Yesterday 10:00 11:00", "last night 10:00", "Fri 10:00",
        "Fri yesterday 10:00", "Fri ", "Mon 2026-11-27", "Mon 2026-11-27 08:00", "Frid 2026-11-27",
        "Fri Fri 2026-11-27", "Fri2026-11-27", "Fri 2026-02-30", "10:00+24:00", "10:00+x", "@", "@x", "@-1",
        "@1 2", "@1h1", "@1m", "@.5", "@5.", "@1.5.5", "1700000000.5m", "1700000000.5.5", "1764316800x",
        "--tail", "Fri", "9999-01-01T00:00:00Z"})
    EXPECT_EQ(of(text), "\"" + std::string(text) + "\" is no time; accepted: " + std::string(kMoments))
        << text;
}

}  // namespace
}  // namespace flowtap
