// Files of procfs and its sysctls.
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "telemetry/collecting/fields.hpp"
#include "telemetry/node_exporter/proc_text.hpp"
#include "telemetry/node_exporter/readers.hpp"

namespace flowtap::telemetry::node_exporter {
namespace {

// The network namespace is that of the node's first process: flowtapd may be in another.
std::string net(const Source& from, std::string_view file) {
  return from.proc("/1/net/" + std::string(file));
}

// Sysctls of the network are always those of the reader's own namespace. Where that is another one, the node's are not known.
bool is_in_net_of_node(const Source& from) {
  struct stat ours{};
  struct stat nodes{};
  return ::stat(from.proc("/self/ns/net").c_str(), &ours) != 0 ||
         ::stat(from.proc("/1/ns/net").c_str(), &nodes) != 0 || ours.st_ino == nodes.st_ino;
}

template <typename Parse>
bool read_text(Source& from, const std::string& path, Parse parse) {
  const auto text = from.text(path);
  if (text && !parse(*text)) from.fail();
  return text.has_value();
}

void add_number(Source& from, const std::string& path, std::string_view name, std::string_view help,
                Page& out) {
  if (const auto value = from.number(path)) out.add(name, PageKind::kGauge, help, {}, *value);
}

}  // namespace

Found read_arp(Source& from, Page& out) {
  return found_if(
      read_text(from, net(from, "arp"), [&](std::string_view text) { return parse_arp(text, out); }));
}

Found read_conntrack(Source& from, Page& out) {
  const bool reads_sysctls = is_in_net_of_node(from);
  const auto entries =
      reads_sysctls ? from.number(from.proc("/sys/net/netfilter/nf_conntrack_count")) : std::nullopt;
  if (reads_sysctls && !entries) return Found::kNothing;
  if (entries) {
    out.add("node_nf_conntrack_entries", PageKind::kGauge, "Connections that conntrack follows.", {},
            *entries);
    add_number(from, from.proc("/sys/net/netfilter/nf_conntrack_max"), "node_nf_conntrack_entries_limit",
               "The most connections that conntrack follows.", out);
  }
  const bool has_stat = read_text(from, net(from, "stat/nf_conntrack"),
                                  [&](std::string_view text) { return parse_conntrack_stat(text, out); });
  return found_if(entries || has_stat);
}

Found read_entropy(Source& from, Page& out) {
  const std::string folder = from.proc("/sys/kernel/random/");
  if (!Source::is_there(folder + "entropy_avail")) return Found::kNothing;
  add_number(from, folder + "entropy_avail", "node_entropy_available_bits", "Entropy that is available.",
             out);
  add_number(from, folder + "poolsize", "node_entropy_pool_size_bits", "The size of the entropy pool.", out);
  return Found::kSomething;
}

Found read_filefd(Source& from, Page& out) {
  const auto text = from.line(from.proc("/sys/fs/file-nr"));
  if (!text) return Found::kNothing;
  std::string_view line = *text;
  const auto allocated = whole_number(next_word(line));
  next_word(line);  // those that are free, 0 since 2.6
  const auto maximum = whole_number(next_word(line));
  if (allocated)
    out.add("node_filefd_allocated", PageKind::kGauge, "Open files of all processes.", {},
            static_cast<double>(*allocated));
  if (maximum)
    out.add("node_filefd_maximum", PageKind::kGauge, "The most files that may be open at once.", {},
            static_cast<double>(*maximum));
  if (!allocated || !maximum) from.fail();
  return Found::kSomething;
}

Found read_meminfo(Source& from, Page& out) {
  return found_if(read_text(from, from.proc("/meminfo"),
                            [&](std::string_view text) { return parse_all_meminfo(text, out); }));
}

Found read_netstat(Source& from, Page& out) {
  const auto both = [&](std::string_view text) { return parse_netstat(text, out); };
  const bool netstat = read_text(from, net(from, "netstat"), both);
  const bool snmp = read_text(from, net(from, "snmp"), both);
  read_text(from, net(from, "snmp6"), [&](std::string_view text) { return parse_snmp6(text, out); });
  return found_if(netstat || snmp);
}

Found read_sockstat(Source& from, Page& out) {
  const auto page_size = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  for (const char* file : {"sockstat", "sockstat6"})
    read_text(from, net(from, file),
              [&](std::string_view text) { return parse_sockstat(text, page_size, out); });
  return Found::kSomething;
}

Found read_softnet(Source& from, Page& out) {
  return found_if(read_text(from, net(from, "softnet_stat"),
                            [&](std::string_view text) { return parse_softnet(text, out); }));
}

Found read_udp_queues(Source& from, Page& out) {
  struct File {
    const char* name;
    const char* ip;
  };
  bool found = false;
  for (const auto& [name, ip] : {File{"udp", "v4"}, File{"udp6", "v6"}})
    found = read_text(from, net(from, name),
                      [&](std::string_view text) { return parse_udp_queues(text, ip, out); }) ||
            found;
  return found_if(found);
}

Found read_vmstat(Source& from, Page& out) {
  return found_if(read_text(from, from.proc("/vmstat"),
                            [&](std::string_view text) { return parse_vmstat_events(text, out); }));
}

}  // namespace flowtap::telemetry::node_exporter
