#include "telemetry/node/network.hpp"

#include <array>
#include <tuple>

#include "telemetry/collecting/kernel_file.hpp"
#include "telemetry/collecting/net_dev.hpp"

namespace flowtap::telemetry {
namespace {

using stats::StatId;

// In the order of NetNumber.
constexpr std::array kNetNumbers{
    StatId::kNODE_NETWORK_RECEIVE_BYTES,      StatId::kNODE_NETWORK_RECEIVE_PACKETS,
    StatId::kNODE_NETWORK_RECEIVE_ERRS,       StatId::kNODE_NETWORK_RECEIVE_DROP,
    StatId::kNODE_NETWORK_RECEIVE_FIFO,       StatId::kNODE_NETWORK_RECEIVE_FRAME,
    StatId::kNODE_NETWORK_RECEIVE_COMPRESSED, StatId::kNODE_NETWORK_RECEIVE_MULTICAST,
    StatId::kNODE_NETWORK_TRANSMIT_BYTES,     StatId::kNODE_NETWORK_TRANSMIT_PACKETS,
    StatId::kNODE_NETWORK_TRANSMIT_ERRS,      StatId::kNODE_NETWORK_TRANSMIT_DROP,
    StatId::kNODE_NETWORK_TRANSMIT_FIFO,      StatId::kNODE_NETWORK_TRANSMIT_COLLS,
    StatId::kNODE_NETWORK_TRANSMIT_CARRIER,   StatId::kNODE_NETWORK_TRANSMIT_COMPRESSED,
};
static_assert(kNetNumbers.size() == std::tuple_size_v<NetNumbers>);

}  // namespace

void parse_net_dev(std::string_view text, Collected& out) {
  out.unread += for_each_net_device(text, [&](const std::string& device, const NetNumbers& numbers) {
    const stats::Labels labels{device};
    for (std::size_t i = 0; i < numbers.size(); ++i) out.add(kNetNumbers.at(i), numbers.at(i), labels);
  });
}

void NetworkCollector::collect(Collected& out) {
  if (const auto text = read_kernel_file(proc_ + "/1/net/dev", out)) parse_net_dev(*text, out);
}

}  // namespace flowtap::telemetry
