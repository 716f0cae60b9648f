// Packet receivers for tests: one that a script makes refuse packets, and models of how StatsD and spectatord read the
// lines.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "stats/backends/sending/datagram.hpp"

namespace flowtap::stats::test {

inline std::vector<std::string> lines_of(std::string_view packet) {
  std::vector<std::string> lines;
  while (!packet.empty()) {
    lines.emplace_back(packet.substr(0, packet.find('\n')));
    packet.remove_prefix(std::min(packet.size(), lines.back().size() + 1));
  }
  return lines;
}

/// The state of a scripted socket; the test keeps it when the backend has taken the socket itself.
struct Wire {
  std::vector<std::string> packets;
  std::size_t accept = std::numeric_limits<std::size_t>::max();  ///< packets to accept before `then`
  Sent then = Sent::kRefused;
  bool up = true;  ///< whether ready() connects
  std::uint64_t generation = 1;
  std::function<void(const std::string&)> on_packet;

  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> all;
    for (const std::string& packet : packets)
      for (std::string& line : lines_of(packet)) all.push_back(std::move(line));
    return all;
  }
};

class ScriptedPackets : public Packets {
 public:
  explicit ScriptedPackets(Wire& wire) : wire_(wire) {}

  Status ready() override { return wire_.up ? Status{} : fail("nobody there"); }
  Sent send(std::string_view packet) override {
    if (wire_.accept == 0) return wire_.then;
    --wire_.accept;
    wire_.packets.emplace_back(packet);
    if (wire_.on_packet) wire_.on_packet(wire_.packets.back());
    return Sent::kAccepted;
  }
  [[nodiscard]] Error last_error() const override { return {"nobody there", "", 0}; }
  [[nodiscard]] std::uint64_t generation() const override { return wire_.generation; }

 private:
  Wire& wire_;
};

/// Adds up StatsD lines: counters by the line's name and tags.
class StatsdModel {
 public:
  void packet(std::string_view packet) {
    for (const std::string& line : lines_of(packet)) take(line);
  }
  [[nodiscard]] double count(const std::string& name) const {
    const auto at = counts_.find(name);
    return at == counts_.end() ? 0 : at->second;
  }
  [[nodiscard]] double gauge(const std::string& name) const { return gauges_.at(name); }

 private:
  void take(const std::string& line) {
    const auto colon = line.find(':');
    const auto bar = line.find('|', colon);
    const auto tags = line.find('|', bar + 1);
    const std::string name = line.substr(0, colon) + (tags == std::string::npos ? "" : line.substr(tags));
    const std::string value = line.substr(colon + 1, bar - colon - 1);
    const double number = std::strtod(value.c_str(), nullptr);
    if (line[bar + 1] == 'c') counts_[name] += number;
    // In Etsy's statsd, a sign makes the value relative.
    if (line[bar + 1] == 'g')
      gauges_[name] = value[0] == '-' || value[0] == '+' ? gauges_[name] + number : number;
  }

  std::map<std::string, double> counts_;
  std::map<std::string, double> gauges_;
};

/// A model of spectatord's monotonic counters (MonotonicCounterUint): the first flush takes the beginning, and a
/// decrease is a roll-over. (spectator/monotonic_counter_uint.cc)
class SpectatordModel {
 public:
  explicit SpectatordModel(bool overflow_check = true) : overflow_check_(overflow_check) {}

  void packet(std::string_view packet) {
    for (const std::string& line : lines_of(packet)) {
      const auto name = line.find(':') + 1;
      const auto value = line.find(':', name) + 1;
      if (line[0] == 'U')
        meters_[line.substr(name, value - name - 1)].value = std::stoull(line.substr(value));
    }
  }
  void flush() {
    for (auto& [name, m] : meters_) {
      const std::uint64_t delta = m.value - m.before;
      const bool overflow = overflow_check_ && static_cast<double>(delta) > 9.223372e+18;
      if (m.begun && !overflow) m.reported += delta;
      m.begun = true;
      m.before = m.value;
    }
  }
  [[nodiscard]] std::uint64_t reported(const std::string& name) const {
    const auto at = meters_.find(name);
    return at == meters_.end() ? 0 : at->second.reported;
  }

 private:
  struct Meter {
    bool begun = false;
    std::uint64_t value = 0;
    std::uint64_t before = 0;
    std::uint64_t reported = 0;
  };
  bool overflow_check_;
  std::map<std::string, Meter> meters_;
};

}  // namespace flowtap::stats::test
