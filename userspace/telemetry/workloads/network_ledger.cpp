#include "telemetry/workloads/network_ledger.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "telemetry/workloads/files/bounded_devices.hpp"

namespace flowtap::telemetry {
namespace {

using stats::StatId;

struct Row {
  NetNumber of;
  StatId stat;
};
constexpr std::array kRows{
    Row{NetNumber::kReceivedBytes, StatId::kWORKLOAD_NETWORK_RECEIVED},
    Row{NetNumber::kReceivedPackets, StatId::kWORKLOAD_NETWORK_RECEIVED_PACKETS},
    Row{NetNumber::kReceiveErrors, StatId::kWORKLOAD_NETWORK_RECEIVE_ERRORS},
    Row{NetNumber::kReceiveDropped, StatId::kWORKLOAD_NETWORK_RECEIVE_DROPPED},
    Row{NetNumber::kSentBytes, StatId::kWORKLOAD_NETWORK_SENT},
    Row{NetNumber::kSentPackets, StatId::kWORKLOAD_NETWORK_SENT_PACKETS},
    Row{NetNumber::kSendErrors, StatId::kWORKLOAD_NETWORK_SEND_ERRORS},
    Row{NetNumber::kSendDropped, StatId::kWORKLOAD_NETWORK_SEND_DROPPED},
};

constexpr std::string_view kLoopback = "lo";
constexpr std::size_t kLongestNetDev = std::size_t{1} << 20U;

// Whether this is another device with the same name, which began at 0: bytes and packets of one direction have both
// fallen.
bool began_anew(const NetNumbers& now, const NetNumbers& before) {
  const auto fell = [&](NetNumber number) {
    const auto i = static_cast<std::size_t>(number);
    return now.at(i) < before.at(i);
  };
  return (fell(NetNumber::kReceivedBytes) && fell(NetNumber::kReceivedPackets)) ||
         (fell(NetNumber::kSentBytes) && fell(NetNumber::kSentPackets));
}

// To whom a network belongs if somebody with this name is in it.
WorkloadName whose(WorkloadName name) {
  if (name.kind == WorkloadKind::kPod) name.container.clear();
  return name;
}

}  // namespace

void NetworkLedger::look(Process& known, std::uint64_t pid, bool young, Clock::time_point now,
                         std::uint64_t& unread) {
  FirstProcess& process = known.process;
  const bool open = young || !process.network || !process.started || process.error != 0;
  if (process.pid == pid && (!open || now < known.due)) return;
  if (process.pid == pid && process.started)
    look_at_network(proc_, process);
  else
    process = look_at_process(proc_, pid);
  unread += process.error != 0 ? 1 : 0;
  known.due = now + (young ? Clock::duration{} : FileLedger::kEvery);
}

void NetworkLedger::see(const WorkloadName& name, FirstProcess& process, Clock::time_point now) {
  Fd net_dev = std::move(process.net_dev);
  if (!process.network || process.network == hosts_) return;
  Network& there = networks_[*process.network];
  there.seen = round_;
  if (there.net_dev.valid() || !net_dev.valid()) return;
  // Another network's totals begin with all that it counted.
  if (there.whose != whose(name)) there.last.clear();
  there.whose = whose(name);
  there.net_dev = std::move(net_dev);
  there.left = {};
  there.first = there.due = now;
}

void NetworkLedger::add(Network& network, std::string_view text, std::uint64_t& unread) {
  std::map<std::string, NetNumbers> seen;
  const std::uint64_t malformed = for_each_net_device(text, [&](const std::string& device,
                                                                const NetNumbers& numbers) {
    if (device == kLoopback) return;
    auto& [name, total] = *place_of_device(totals_[network.whose].devices, device);
    if (total.labels.empty()) {
      auto labels = network.whose.labels();
      labels.push_back(name);
      total.labels = std::move(labels);
    }
    NetNumbers& last = network.last[device];
    const bool anew = began_anew(numbers, last);
    // Otherwise a counter that fell adds nothing and grows from there, like that of a driver which adds its drops up
    // anew each time. The others go on, so that no byte is counted twice. If this is another device that has already
    // overtaken the last one in both directions, what the last one had is missing, which is less than what it has
    // itself.
    for (std::size_t i = 0; i < numbers.size(); ++i)
      total.total.at(i) += anew ? numbers.at(i) : numbers.at(i) - std::min(numbers.at(i), last.at(i));
    last = numbers;
    seen.insert_or_assign(device, numbers);
  });
  unread += malformed;
  // The name of a device that is gone may be the next one's.
  if (malformed == 0) network.last = std::move(seen);
}

void NetworkLedger::read(Network& network, std::uint64_t& unread) {
  std::size_t size = 0;
  while (true) {
    const ssize_t n = ::pread(network.net_dev.get(), buffer_.data() + size, buffer_.size() - size,
                              static_cast<off_t>(size));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 || size >= kLongestNetDev) {
      ++unread;
      return;
    }
    if (n == 0) break;
    size += static_cast<std::size_t>(n);
    if (size == buffer_.size()) buffer_.resize(2 * buffer_.size());
  }
  add(network, std::string_view(buffer_).substr(0, size), unread);
}

void NetworkLedger::round(const FileLedger& files, Clock::time_point now, std::uint64_t& unread) {
  ++round_;
  // Without the node's own network, none of them can be told from it.
  if (!knows_hosts()) {
    ++unread;
    return;
  }
  for (const auto& [name, entry] : files.workloads()) {
    for (const auto& [path, instance] : entry.instances) {
      const auto pid = instance.last[CgroupGauge::kFirstPid];
      if (!pid) continue;
      Process& known = processes_[path];
      known.seen = round_;
      look(known, static_cast<std::uint64_t>(*pid), now - instance.first < FileLedger::kYoung, now, unread);
      see(name, known.process, now);
      const auto begun = begun_.find(path);
      if (begun != begun_.end() && begun->second.process.network == known.process.network)
        begun_.erase(begun);
    }
    if (const auto at = totals_.find(whose(name)); at != totals_.end()) at->second.seen = round_;
  }
  std::erase_if(begun_, [&](const auto& entry) { return now - entry.second.at > kUnclaimed; });
  std::erase_if(processes_, [&](const auto& entry) { return entry.second.seen != round_; });
  for (auto& [id, network] : networks_) {
    const bool gone = network.seen != round_;
    if (!network.net_dev.valid() || (!gone && now < network.due)) continue;
    read(network, unread);
    network.due = files.due(network.whose.pod + network.whose.container, network.first, now);
    // By then nobody with its name may be known.
    if (!gone) {
      totals_[network.whose].seen = round_;
      continue;
    }
    // Otherwise it stays until this works: another network with its number would be taken for this one.
    network.left = keep_number(network.net_dev);
    unread += network.left.valid() ? 0 : 1;
    if (network.left.valid()) network.net_dev = {};
  }
  std::erase_if(totals_, [&](const auto& entry) { return entry.second.seen != round_; });
  std::erase_if(networks_, [&](const auto& entry) {
    const Network& network = entry.second;
    return !network.net_dev.valid() && (!totals_.contains(network.whose) || has_ended(network.left));
  });
}

bool NetworkLedger::knows_hosts() {
  if (!hosts_) hosts_ = look_at_process(proc_, 1).network;
  return hosts_.has_value();
}

void NetworkLedger::begin(const std::string& top, std::uint64_t pid, Clock::time_point now,
                          std::uint64_t& unread) {
  if (begun_.size() >= kMostBegun || !knows_hosts()) {
    ++unread;
    return;
  }
  FirstProcess process = look_at_process(proc_, pid);
  unread += process.error != 0 ? 1 : 0;
  if (process.network && process.network != hosts_)
    begun_.insert_or_assign(top, Begun{.process = std::move(process), .at = now});
}

void NetworkLedger::read_last(const WorkloadName& name, const std::string& top, Clock::time_point now,
                              std::uint64_t& unread) {
  std::optional<NetworkId> network;
  if (auto begun = begun_.extract(top)) {
    network = begun.mapped().process.network;
    see(name, begun.mapped().process, now);
  } else if (const auto known = processes_.find(top); known != processes_.end()) {
    network = known->second.process.network;
  }
  if (!network) return;
  const auto at = networks_.find(*network);
  if (at != networks_.end() && at->second.net_dev.valid()) read(at->second, unread);
}

std::optional<double> NetworkLedger::started(const FileLedger::Entry& entry) const {
  std::optional<double> oldest;
  for (const auto& [path, instance] : entry.instances) {
    const auto at = processes_.find(path);
    if (at == processes_.end() || !at->second.process.started) continue;
    oldest = std::min(oldest.value_or(*at->second.process.started), *at->second.process.started);
  }
  return oldest;
}

void NetworkLedger::append_series(std::vector<stats::Series>& out) const {
  for (const auto& [name, totals] : totals_)
    for (const auto& [name_of, device] : totals.devices)
      for (const Row& row : kRows)
        out.push_back(
            {&stats::stat(row.stat), device.labels, device.total.at(static_cast<std::size_t>(row.of))});
}

}  // namespace flowtap::telemetry
