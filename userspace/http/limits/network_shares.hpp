// Places for connections over TCP: one sender gets only a part of them.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace flowtap::http {

/// What the limits treat as one sender: an IPv4 address, or the 64 bits of an IPv6 address that name the network, since
/// a host may choose the other bits as it likes.
[[nodiscard]] inline std::string network_of(const boost::asio::ip::address& address) {
  const auto text = [](const auto& bytes, std::size_t size) {
    return std::string(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
  };
  if (address.is_v4()) return text(address.to_v4().to_bytes(), 4);
  const auto v6 = address.to_v6();
  if (v6.is_v4_mapped())
    return text(boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, v6).to_bytes(), 4);
  return text(v6.to_bytes(), 8);
}

/// Counts one entry per connection at most, so it is bounded by the bound on connections. Used by one thread.
class NetworkShares {
  using Counts = std::map<std::string, std::size_t>;

 public:
  /// The place of one connection, for as long as this lives.
  class Place {
   public:
    Place(NetworkShares& of, Counts::iterator network) : of_(&of), network_(network) { ++network_->second; }
    Place(Place&& other) noexcept : of_(std::exchange(other.of_, nullptr)), network_(other.network_) {}
    Place& operator=(Place&&) = delete;
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() {
      if (of_ != nullptr && --network_->second == 0) of_->counts_.erase(network_);
    }
    [[nodiscard]] const std::string& network() const { return network_->first; }

   private:
    NetworkShares* of_;
    Counts::iterator network_;
  };

  explicit NetworkShares(std::size_t most_each) : most_each_(most_each) {}
  NetworkShares(const NetworkShares&) = delete;
  NetworkShares& operator=(const NetworkShares&) = delete;

  /// None when this network has as many as it may. A Place must not outlive this.
  [[nodiscard]] std::optional<Place> take(const std::string& network) {
    const auto at = counts_.try_emplace(network, 0).first;
    if (at->second >= most_each_) return std::nullopt;
    return std::optional<Place>(std::in_place, *this, at);
  }
  [[nodiscard]] bool has_room(const std::string& network) const {
    const auto at = counts_.find(network);
    return at == counts_.end() || at->second < most_each_;
  }
  [[nodiscard]] std::size_t networks() const { return counts_.size(); }

 private:
  std::size_t most_each_;
  Counts counts_;
};

}  // namespace flowtap::http
