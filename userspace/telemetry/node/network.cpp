#include "telemetry/node/network.hpp"

#include <array>
#include <set>

#include "base/printable.hpp"
#include "telemetry/fields.hpp"
#include "telemetry/kernel_file.hpp"

namespace flowtap::telemetry {
namespace {

using stats::StatId;

// dev_seq_printf_stats() of net/core/net-procfs.c.
constexpr std::array kNumbers{
    StatId::kNODE_NETWORK_RECEIVE_BYTES,      StatId::kNODE_NETWORK_RECEIVE_PACKETS,
    StatId::kNODE_NETWORK_RECEIVE_ERRS,       StatId::kNODE_NETWORK_RECEIVE_DROP,
    StatId::kNODE_NETWORK_RECEIVE_FIFO,       StatId::kNODE_NETWORK_RECEIVE_FRAME,
    StatId::kNODE_NETWORK_RECEIVE_COMPRESSED, StatId::kNODE_NETWORK_RECEIVE_MULTICAST,
    StatId::kNODE_NETWORK_TRANSMIT_BYTES,     StatId::kNODE_NETWORK_TRANSMIT_PACKETS,
    StatId::kNODE_NETWORK_TRANSMIT_ERRS,      StatId::kNODE_NETWORK_TRANSMIT_DROP,
    StatId::kNODE_NETWORK_TRANSMIT_FIFO,      StatId::kNODE_NETWORK_TRANSMIT_COLLS,
    StatId::kNODE_NETWORK_TRANSMIT_CARRIER,   StatId::kNODE_NETWORK_TRANSMIT_COMPRESSED,
};

}  // namespace

void parse_net_dev(std::string_view text, Collected& out) {
  std::set<std::string> seen;
  // By their place and not by their looks: a device may be called almost anything.
  next_line(text);
  next_line(text);
  while (!text.empty()) {
    std::string_view line = next_line(text);
    if (line.empty()) continue;
    const auto colon = line.rfind(':');
    std::string_view head = line.substr(0, colon);
    const std::string_view device = next_word(head);
    line.remove_prefix(colon == std::string_view::npos ? line.size() : colon + 1);

    std::array<std::uint64_t, kNumbers.size()> numbers{};
    bool good = !device.empty() && next_word(head).empty();
    for (std::uint64_t& number : numbers) {
      const auto read = whole_number(next_word(line));
      good = good && read;
      number = read.value_or(0);
    }
    const std::string label = printable(device);
    if (!good || !seen.insert(label).second) {
      ++out.unread;
      continue;
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) out.add(kNumbers.at(i), numbers.at(i), {label});
  }
}

void NetworkCollector::collect(Collected& out) {
  if (const auto text = read_kernel_file(proc_ + "/1/net/dev", out)) parse_net_dev(*text, out);
}

}  // namespace flowtap::telemetry
