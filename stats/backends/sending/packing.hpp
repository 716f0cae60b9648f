// What the line protocols share: lines into packets, and text without the bytes that they use themselves.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.hpp"
#include "stats/backends/sending/datagram.hpp"

namespace flowtap::stats {

/// Fills packets with lines and keeps count: a line is reported as sent when the socket took its packet, not before.
class PacketBatch {
 public:
  /// `sent` is called with the index of each line of a packet that was taken.
  PacketBatch(Packets& packets, std::function<void(std::size_t)> sent)
      : packets_(packets), sent_(std::move(sent)) {}

  /// Puts a line of at most kMaxPacket bytes into the packet, and sends the packet before if the line does not fit.
  /// False: the packet was not taken, and this line is in none.
  [[nodiscard]] bool add(std::string_view line, std::size_t index) {
    if (!packet_.empty() && packet_.size() + 1 + line.size() > kMaxPacket && !flush()) return false;
    if (!packet_.empty()) packet_ += '\n';
    packet_ += line;
    inside_.push_back(index);
    return true;
  }

  /// Sends the rest. False: it was not taken.
  [[nodiscard]] bool flush() {
    if (packet_.empty()) return true;
    if (packets_.send(packet_) != Sent::kAccepted) return false;
    for (const std::size_t index : inside_) sent_(index);
    packet_.clear();
    inside_.clear();
    return true;
  }

  /// The first line of the packet that was not taken; only after add() or flush() returned false.
  [[nodiscard]] std::size_t first_unsent() const { return inside_.front(); }

 private:
  Packets& packets_;
  std::function<void(std::size_t)> sent_;
  std::string packet_;
  std::vector<std::size_t> inside_;
};

/// `text`, at most `limit` bytes of it, with every byte but ASCII letters, digits and those of `also`
/// replaced by '_'. An empty text becomes "none": no protocol has empty parts.
[[nodiscard]] inline std::string clean(std::string_view text, std::string_view also, std::size_t limit) {
  std::string out(text.empty() ? "none" : text.substr(0, limit));
  for (char& c : out) {
    const bool plain = is_alphanumeric(c);
    if (!plain && also.find(c) == std::string_view::npos) c = '_';
  }
  return out;
}

}  // namespace flowtap::stats
