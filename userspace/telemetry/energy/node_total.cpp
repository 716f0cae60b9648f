#include "telemetry/energy/node_total.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace flowtap::telemetry {
namespace {

// Packages and psys are not read at the same instant, and some psys count in whole joules
// (spr_psys_domain_energy_unit).
constexpr std::uint64_t kSlack = 10'000'000;  // uJ
// The comparison starts anew after this much, so that a psys that was ahead for a month is not trusted for the next.
constexpr std::uint64_t kCompared = 1'000'000'000;
constexpr unsigned kMostUnknown = 3;
constexpr std::size_t kMostMembers = 1024;

EnergyBasis basis_of(EnergyDomain domain) {
  switch (domain) {
    case EnergyDomain::kPlatform:
      return EnergyBasis::kPlatform;
    case EnergyDomain::kPackage:
    case EnergyDomain::kMemory:
      return EnergyBasis::kPackages;
    case EnergyDomain::kSocket:
      return EnergyBasis::kSockets;
    case EnergyDomain::kMeter:
      return EnergyBasis::kMeter;
    case EnergyDomain::kOther:
      break;
  }
  return EnergyBasis::kNone;
}

}  // namespace

std::string_view basis_name(EnergyBasis basis) {
  static constexpr std::array<std::string_view, 5> kNames{"none", "psys", "packages", "sockets", "meter"};
  return kNames.at(static_cast<std::size_t>(basis));
}

struct NodeTotal::Sum {
  std::size_t parts = 0;    // how many were read
  std::size_t unknown = 0;  // how many of these told nothing
  std::uint64_t uj = 0;
};

// A part that was away catches up, but not to before `from`: others stood for that time.
NodeTotal::Sum NodeTotal::sum_of(std::span<const EnergyPart> parts, EnergyBasis basis,
                                 EnergyClock::time_point from) {
  Sum sum;
  for (const EnergyPart& part : parts) {
    if (basis_of(part.domain) != basis) continue;
    ++sum.parts;
    if (!part.step.known) ++sum.unknown;
    if (part.since >= from) sum.uj += part.step.uj;
  }
  return sum;
}

std::optional<std::uint64_t> NodeTotal::add(std::span<const EnergyPart> parts, EnergyClock::time_point now,
                                            std::span<const LackingPart> lacking) {
  const bool behind = basis_ == EnergyBasis::kPlatform && falls_behind(parts);
  before_ = now;
  devices_room_.reset();
  Sum sum = sum_of(parts, basis_, from_);
  if (basis_ == EnergyBasis::kNone || (sum.parts == 0 && now - seen_ > kEnergyAway)) {
    in_platform_ = in_packages_ = 0;
    from_ = seen_;
    stand_on(choose(parts));
    sum = sum_of(parts, basis_, from_);
  }
  const bool read = basis_ != EnergyBasis::kNone && sum.parts != 0;
  if (read) {
    seen_ = now;
    devices_room_ = room_in(sum.uj, parts);
  }
  if (behind) {
    psys_refused_ = true;
    from_ = now;
    stand_on(EnergyBasis::kPackages);
  }
  look_for_missing(parts, lacking);
  return read ? std::optional(sum.uj) : std::nullopt;
}

void NodeTotal::stand_on(EnergyBasis basis) {
  basis_ = basis;
  members_.clear();
}

std::optional<std::uint64_t> NodeTotal::room_in(std::uint64_t uj, std::span<const EnergyPart> parts) const {
  if (basis_ == EnergyBasis::kMeter) return uj;
  if (basis_ != EnergyBasis::kPlatform) return std::nullopt;
  return uj - std::min(uj, sum_of(parts, EnergyBasis::kPackages, from_).uj);
}

void NodeTotal::look_for_missing(std::span<const EnergyPart> parts, std::span<const LackingPart> lacking) {
  const auto note = [this](EnergyDomain domain, std::string_view source, std::string_view part) {
    if (basis_ == EnergyBasis::kNone || basis_of(domain) != basis_) return false;
    if (members_.size() < kMostMembers) members_.emplace(source, part);
    return true;
  };
  std::size_t read = 0;
  for (const EnergyPart& part : parts)
    if (note(part.domain, part.source, part.part)) ++read;
  for (const LackingPart& part : lacking) note(part.domain, part.source, part.part);
  missing_ = members_.size() - std::min(read, members_.size());
}

EnergyBasis NodeTotal::choose(std::span<const EnergyPart> parts) const {
  // A counter that has counted nothing yet may never do so.
  const Sum psys = sum_of(parts, EnergyBasis::kPlatform, from_);
  const Sum packages = sum_of(parts, EnergyBasis::kPackages, from_);
  if (!psys_refused_ && psys.parts == 1 && psys.uj > 0 && psys.uj + kSlack >= packages.uj)
    return EnergyBasis::kPlatform;
  for (const EnergyBasis basis : {EnergyBasis::kPackages, EnergyBasis::kSockets, EnergyBasis::kMeter}) {
    const Sum sum = sum_of(parts, basis, from_);
    if (sum.uj > 0) return basis;
    if (sum.unknown > 0) return EnergyBasis::kNone;  // the next reading decides
  }
  return EnergyBasis::kNone;
}

bool NodeTotal::falls_behind(std::span<const EnergyPart> parts) {
  std::optional<EnergyStep> platform;
  std::optional<std::uint64_t> packages;
  for (const EnergyPart& part : parts) {
    if (part.domain != EnergyDomain::kPlatform && part.domain != EnergyDomain::kPackage) continue;
    if (part.since != before_) return false;  // it was away, so its step covers more than this time
    if (part.domain == EnergyDomain::kPlatform)
      platform = part.step;
    else
      packages = packages.value_or(0) + part.step.uj;
  }
  if (!platform || !packages) return false;
  unknown_ = platform->known ? 0 : unknown_ + 1;
  if (!platform->known) return unknown_ >= kMostUnknown;
  in_platform_ += platform->uj;
  in_packages_ += *packages;
  const bool behind = in_platform_ + kSlack < in_packages_;
  if (in_packages_ > kCompared) in_platform_ = in_packages_ = 0;
  return behind;
}

}  // namespace flowtap::telemetry
