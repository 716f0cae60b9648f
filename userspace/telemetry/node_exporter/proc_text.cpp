#include "telemetry/node_exporter/proc_text.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "telemetry/collecting/fields.hpp"
#include "telemetry/node_exporter/source.hpp"

namespace flowtap::telemetry::node_exporter {
namespace {

constexpr std::size_t kMostColumns = 512;

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (auto word = next_word(line); !word.empty() && words.size() < kMostColumns; word = next_word(line))
    words.push_back(word);
  return words;
}

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& all) {
  return std::ranges::find(all, text) != all.end();
}

// The default of node_exporter's --collector.netstat.fields, and what it has got since 1.5: the last two of TcpExt.
bool is_wanted(std::string_view protocol, std::string_view field) {
  constexpr std::array<std::string_view, 4> kTcpExt{"TCPSynRetrans", "TCPTimeouts", "TCPOFOQueue",
                                                    "TCPRcvQDrop"};
  constexpr std::array<std::string_view, 7> kTcp{"ActiveOpens",  "InSegs",      "OutSegs",  "OutRsts",
                                                 "PassiveOpens", "RetransSegs", "CurrEstab"};
  constexpr std::array<std::string_view, 5> kUdp{"InDatagrams", "OutDatagrams", "NoPorts", "RcvbufErrors",
                                                 "SndbufErrors"};
  if (field.ends_with("InErrors") && (field.size() == 8 || field[field.size() - 9] == '_')) return true;
  if (field.ends_with("InErrs") && (field.size() == 6 || field[field.size() - 7] == '_')) return true;
  if (protocol == "Ip") return field == "Forwarding";
  if (protocol == "Ip6" || protocol == "IpExt") return field == "InOctets" || field == "OutOctets";
  if (protocol == "Icmp" || protocol == "Icmp6") return field == "InMsgs" || field == "OutMsgs";
  if (protocol == "TcpExt")
    return field.starts_with("Listen") || field.starts_with("Syncookies") || is_one_of(field, kTcpExt);
  if (protocol == "Tcp") return is_one_of(field, kTcp);
  return (protocol == "Udp" || protocol == "Udp6") && is_one_of(field, kUdp);
}

void add_netstat(std::string_view protocol, std::string_view field, double value, Page& out) {
  std::string name = "node_netstat_";
  name.append(protocol).append(1, '_').append(field);
  out.add(name, PageKind::kUntyped,
          std::string(field) + " of " + std::string(protocol) + " in /proc/net/netstat, snmp or snmp6.", {},
          value);
}

}  // namespace

bool parse_all_meminfo(std::string_view text, Page& out) {
  bool good = true;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    std::string_view field = next_word(line);
    if (field.empty()) continue;
    const auto value = whole_number(next_word(line));
    const std::string_view unit = next_word(line);
    const bool bytes = unit == "kB";
    if (!field.ends_with(':') || !value || (!bytes && !unit.empty())) {
      good = false;
      continue;
    }
    field.remove_suffix(1);
    std::string name = "node_memory_";  // "Active(anon)" becomes Active_anon
    for (const char c : field)
      if (c != ')') name += c == '(' ? '_' : c;
    out.add(bytes ? name + "_bytes" : name, PageKind::kGauge, std::string(field) + " of /proc/meminfo.", {},
            static_cast<double>(*value) * (bytes ? 1024 : 1));
  }
  return good;
}

bool parse_vmstat_events(std::string_view text, Page& out) {
  bool good = true;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    const std::string_view field = next_word(line);
    const bool fault = field.starts_with("pg") && field.substr(2).contains("fault");
    if (!fault && !field.starts_with("oom_kill") && !field.starts_with("pgpg") && !field.starts_with("pswp"))
      continue;
    const auto value = whole_number(next_word(line));
    if (value)
      out.add("node_vmstat_" + std::string(field), PageKind::kUntyped,
              std::string(field) + " of /proc/vmstat.", {}, static_cast<double>(*value));
    else
      good = false;
  }
  return good;
}

bool parse_netstat(std::string_view text, Page& out) {
  bool good = true;
  while (!text.empty()) {
    const auto fields = words_of(next_line(text));
    if (fields.empty()) continue;
    const auto values = words_of(next_line(text));
    if (fields.size() != values.size() || fields[0] != values[0] || !fields[0].ends_with(':')) {
      good = false;
      continue;
    }
    const std::string_view protocol = fields[0].substr(0, fields[0].size() - 1);
    for (std::size_t i = 1; i < fields.size(); ++i) {
      if (!is_wanted(protocol, fields[i])) continue;
      const auto value = number_in(values[i]);
      good = good && value;
      if (value) add_netstat(protocol, fields[i], *value, out);
    }
  }
  return good;
}

bool parse_snmp6(std::string_view text, Page& out) {
  bool good = true;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    const std::string_view word = next_word(line);
    const auto six = word.find('6');
    if (six == std::string_view::npos) {
      good = good && word.empty();
      continue;
    }
    const std::string_view protocol = word.substr(0, six + 1);
    const std::string_view field = word.substr(six + 1);
    if (!is_wanted(protocol, field)) continue;
    const auto value = whole_number(next_word(line));
    good = good && value;
    if (value) add_netstat(protocol, field, static_cast<double>(*value), out);
  }
  return good;
}

bool parse_sockstat(std::string_view text, std::uint64_t page_size, Page& out) {
  bool good = true;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    std::string_view protocol = next_word(line);
    if (protocol.empty()) continue;
    good = good && protocol.ends_with(':');
    if (!protocol.ends_with(':')) continue;
    protocol.remove_suffix(1);
    for (auto field = next_word(line); !field.empty(); field = next_word(line)) {
      const auto value = whole_number(next_word(line));
      good = good && value;
      if (!value) break;
      const std::string name = "node_sockstat_" + std::string(protocol) + '_' + std::string(field);
      const std::string help = std::string(field) + " of " + std::string(protocol) + " in /proc/net/sockstat";
      out.add(name, PageKind::kGauge, help + '.', {}, static_cast<double>(*value));
      if (field == "mem" && (protocol == "TCP" || protocol == "UDP"))
        out.add(name + "_bytes", PageKind::kGauge, help + ", in bytes.", {},
                static_cast<double>(*value) * static_cast<double>(page_size));
    }
  }
  return good;
}

bool parse_softnet(std::string_view text, Page& out) {
  struct Column {
    std::size_t at;
    std::string_view name;
    PageKind kind;
    std::string_view help;
  };
  // softnet_seq_show() in net/core/net-procfs.c
  static constexpr std::array kColumns{
      Column{0, "node_softnet_processed_total", PageKind::kCounter, "Packets that the CPU has processed."},
      Column{1, "node_softnet_dropped_total", PageKind::kCounter,
             "Packets that were dropped as the CPU's backlog was full."},
      Column{2, "node_softnet_times_squeezed_total", PageKind::kCounter,
             "Times that the CPU ran out of time with packets left."},
      Column{9, "node_softnet_received_rps_total", PageKind::kCounter,
             "Times that another CPU woke this one to process packets."},
      Column{10, "node_softnet_flow_limit_count_total", PageKind::kCounter,
             "Packets that were dropped by a flow's limit."}};
  constexpr std::size_t kCpu = 12;
  bool good = true;
  for (std::size_t row = 0; !text.empty(); ++row) {
    const auto words = words_of(next_line(text));
    if (words.empty()) continue;
    const auto cpu = words.size() > kCpu ? hexadecimal_in(words[kCpu]) : std::optional<std::uint64_t>(row);
    good = good && cpu;
    for (const Column& column : kColumns) {
      if (column.at >= words.size() || !cpu) continue;
      const auto value = hexadecimal_in(words[column.at]);
      good = good && value;
      if (value)
        out.add(column.name, column.kind, column.help, {{"cpu", std::to_string(*cpu)}},
                static_cast<double>(*value));
    }
  }
  return good;
}

bool parse_conntrack_stat(std::string_view text, Page& out) {
  constexpr std::array<std::string_view, 8> kFields{
      "found", "invalid", "ignore", "insert", "insert_failed", "drop", "early_drop", "search_restart"};
  const auto heads = words_of(next_line(text));
  std::map<std::string_view, std::uint64_t> sums;
  bool good = true;
  while (!text.empty()) {
    const auto words = words_of(next_line(text));
    if (words.empty()) continue;
    if (words.size() != heads.size()) {
      good = false;
      continue;
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto value = hexadecimal_in(words[i]);
      good = good && value;
      if (value) sums[heads[i]] += *value;
    }
  }
  for (const std::string_view field : kFields)
    if (const auto at = sums.find(field); at != sums.end())
      out.add("node_nf_conntrack_stat_" + std::string(field), PageKind::kGauge,
              std::string(field) + " of /proc/net/stat/nf_conntrack, of all CPUs.", {},
              static_cast<double>(at->second));
  return good;
}

bool parse_arp(std::string_view text, Page& out) {
  constexpr std::size_t kWords = 6;
  bool good = true;
  std::map<std::string, double> entries;
  next_line(text);  // the headings
  while (!text.empty()) {
    const auto words = words_of(next_line(text));
    if (words.empty()) continue;
    good = good && words.size() == kWords;
    if (words.size() == kWords) entries[std::string(words.back())] += 1;
  }
  for (const auto& [device, count] : entries)
    out.add("node_arp_entries", PageKind::kGauge, "Neighbours in the ARP table, by device.",
            {{"device", device}}, count);
  return good;
}

bool parse_udp_queues(std::string_view text, std::string_view ip, Page& out) {
  constexpr std::size_t kQueues = 4;  // the word with both
  bool good = true;
  std::uint64_t tx = 0;
  std::uint64_t rx = 0;
  next_line(text);  // the headings
  while (!text.empty()) {
    const auto words = words_of(next_line(text));
    if (words.empty()) continue;
    const std::string_view queues = words.size() > kQueues ? words[kQueues] : std::string_view();
    const auto colon = queues.find(':');
    const auto sent = hexadecimal_in(queues.substr(0, colon));
    const auto received =
        colon == std::string_view::npos ? std::nullopt : hexadecimal_in(queues.substr(colon + 1));
    good = good && sent && received;
    tx += sent.value_or(0);
    rx += received.value_or(0);
  }
  const auto add = [&](std::string_view queue, std::uint64_t bytes) {
    out.add("node_udp_queues", PageKind::kGauge, "Bytes in the queues of all UDP sockets.",
            {{"ip", std::string(ip)}, {"queue", std::string(queue)}}, static_cast<double>(bytes));
  };
  add("rx", rx);
  add("tx", tx);
  return good;
}

}  // namespace flowtap::telemetry::node_exporter
