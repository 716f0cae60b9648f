// The rows themselves, constexpr, so that checks.cpp can refuse a bad table when it is compiled.
#pragma once

#include <array>

#include "stats/table.hpp"

namespace flowtap::stats {

#define FTAP_FAMILY(id, name, labels, help) Family{FamilyId::k##id, name, labels, help},
// to_array(), since clang does not deduce a std::array of more than 256 elements.
inline constexpr auto kFamilies = std::to_array<Family>({
#include "stats/families.def"
#undef FTAP_FAMILY
#define FTAP_MEASURE(id, name, labels, kind, unit, help) Family{FamilyId::k##id, name, labels, help},
#include "stats/telemetry.def"
#undef FTAP_MEASURE
});

namespace row {
inline constexpr Kind kCOUNTER = Kind::kCounter;
inline constexpr Kind kGAUGE = Kind::kGauge;
inline constexpr Kind kHISTOGRAM = Kind::kHistogram;
inline constexpr Kind kLONG_HISTOGRAM = Kind::kHistogram;  // for times of up to a day; only in self.def
inline constexpr Kind kCOARSE_HISTOGRAM =
    Kind::kHistogram;  // for histograms that exist in thousands; only in telemetry.def
inline constexpr Unit kNONE = Unit::kNone;
inline constexpr Unit kSECONDS = Unit::kSeconds;
inline constexpr Unit kBYTES = Unit::kBytes;
inline constexpr Unit kJOULES = Unit::kJoules;
inline constexpr Unit kWATTS = Unit::kWatts;
inline constexpr Unit kCELSIUS = Unit::kCelsius;
inline constexpr Unit kHERTZ = Unit::kHertz;

namespace widened {
inline constexpr unsigned kCOUNTER = 0;
inline constexpr unsigned kGAUGE = 0;
inline constexpr unsigned kHISTOGRAM = 0;
inline constexpr unsigned kLONG_HISTOGRAM = 13;  // 2^23 .. 2^47 ns: 8 ms .. 39 h
inline constexpr unsigned kCOARSE_HISTOGRAM = 0;
}  // namespace widened

namespace coarse {
inline constexpr bool kCOUNTER = false;
inline constexpr bool kGAUGE = false;
inline constexpr bool kCOARSE_HISTOGRAM = true;
}  // namespace coarse

// A row without a fixed label value has one of two markers. They have their own types, so that no text can be mistaken
// for them.
struct NoLabel {};
struct AnyLabel {};
constexpr std::optional<std::string_view> label(std::string_view value) {
  return value;
}
constexpr std::optional<std::string_view> label(NoLabel) {
  return std::nullopt;
}
constexpr std::optional<std::string_view> label(AnyLabel) {
  return std::nullopt;
}
constexpr bool open(std::string_view) {
  return false;
}
constexpr bool open(NoLabel) {
  return false;
}
constexpr bool open(AnyLabel) {
  return true;
}
}  // namespace row

#define FTAP_NO_LABEL \
  row::NoLabel {}
#define FTAP_ANY_LABEL \
  row::AnyLabel {}
#define FTAP_ROW(id, fam, value, kind, unit, help, by, slot) \
  Stat{StatId::k##id,                                        \
       FamilyId::k##fam,                                     \
       row::label(value),                                    \
       row::open(value),                                     \
       row::k##kind,                                         \
       row::k##unit,                                         \
       help,                                                 \
       CountedBy::by,                                        \
       slot,                                                 \
       row::widened::k##kind},

inline constexpr auto kStats = std::to_array<Stat>({
#define FTAP_STAT(id, fam, value, kind, unit, help) \
  FTAP_ROW(id, fam, value, kind, unit, help, kTracing, FTAP_SLOT_##id)
#include "stats/kernel.def"
#undef FTAP_STAT
#define FTAP_STAT(id, fam, value, kind, unit, help) \
  FTAP_ROW(id, fam, value, kind, unit, help, kScheduler, FTAP_SLOT_##id)
#include "stats/scheds.def"
#undef FTAP_STAT
#define FTAP_STAT(id, fam, value, kind, unit, help) \
  FTAP_ROW(id, fam, value, kind, unit, help, kFlowtapd, std::nullopt)
#include "stats/self.def"
#undef FTAP_STAT
#define FTAP_MEASURE(id, name, labels, kind, unit, help) \
  Stat{StatId::k##id,                                    \
       FamilyId::k##id,                                  \
       std::nullopt,                                     \
       label_count(labels) != 0,                         \
       row::k##kind,                                     \
       row::k##unit,                                     \
       help,                                             \
       CountedBy::kMachine,                              \
       std::nullopt,                                     \
       row::widened::k##kind,                            \
       row::coarse::k##kind},
#include "stats/telemetry.def"
#undef FTAP_MEASURE
});
#undef FTAP_ROW
#undef FTAP_NO_LABEL
#undef FTAP_ANY_LABEL

}  // namespace flowtap::stats
