// Packets to a receiver that may come and go.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "stats/backends/sending/address.hpp"
#include "stats/backends/sending/patience.hpp"

namespace flowtap::stats {

/// The payload that fits an Ethernet frame, as the StatsD documentation recommends it.
inline constexpr std::size_t kMaxPacket = 1432;

enum class Sent : std::uint8_t {
  kAccepted,    ///< the socket took the packet
  kWouldBlock,  ///< the receiver's queue is full; it may go on reading later
  kRefused,     ///< nobody receives
};

class Packets {
 public:
  Packets() = default;
  Packets(const Packets&) = delete;
  Packets& operator=(const Packets&) = delete;
  virtual ~Packets() = default;

  /// Connects if necessary, and asks a receiver that refused last time whether it is back. Call it before the packets
  /// of a cycle, and once more after a refusal: a receiver that was restarted has a new socket.
  virtual Status ready() = 0;

  /// Sends one packet, whole or not at all. It never connects: between two calls of ready() everything goes to one
  /// receiver.
  virtual Sent send(std::string_view packet) = 0;

  /// Why the last packet was not accepted.
  [[nodiscard]] virtual Error last_error() const = 0;

  /// Grows with each new connection: with another generation, the receiver may be another process.
  [[nodiscard]] virtual std::uint64_t generation() const = 0;
};

/// A UDP or Unix datagram socket. A Unix receiver that is away is always noticed. Over UDP, flowtapd notices only a
/// refusal that the receiver's host sends back for an earlier packet; packets that the socket accepted before it
/// arrived are lost.
class DatagramSocket : public Packets {
 public:
  /// `patience`: how long the packets of one cycle may wait, all together, for a receiver whose queue is
  /// full.
  explicit DatagramSocket(Address address,
                          std::chrono::milliseconds patience = std::chrono::milliseconds(200));

  Status ready() override;
  Sent send(std::string_view packet) override;
  [[nodiscard]] Error last_error() const override { return last_error_; }
  [[nodiscard]] std::uint64_t generation() const override { return generation_; }

 private:
  Status connect();
  Status probe();
  Sent refused(int error);

  Address address_;
  Patience patience_;
  Fd fd_;
  bool was_refused_ = false;
  std::uint64_t generation_ = 0;
  Error last_error_;
};

}  // namespace flowtap::stats
