// Texts of procfs whose lines name their fields: a kernel that has more of them shows more of them.
#pragma once

#include <cstdint>
#include <string_view>

#include "stats/compat/page.hpp"

namespace flowtap::telemetry::node_exporter {

using stats::compat::LabelPairs;
using stats::compat::Page;
using stats::compat::PageKind;

// All of them take any bytes. False: a line was not understood; the others are there nevertheless.

/// "MemTotal:  16 kB", "HugePages_Total: 0".
bool parse_all_meminfo(std::string_view text, Page& out);

/// "pgfault 123": paging, swapping and OOM kills.
bool parse_vmstat_events(std::string_view text, Page& out);

/// /proc/net/netstat and snmp: "Tcp: A B", and below it "Tcp: 1 2". Of their hundreds of fields those that
/// node_exporter has by default.
bool parse_netstat(std::string_view text, Page& out);

/// /proc/net/snmp6: "Ip6InOctets  123".
bool parse_snmp6(std::string_view text, Page& out);

/// /proc/net/sockstat and sockstat6: "TCP: inuse 3 mem 1", "sockets: used 5". `page_size`: of memory, in bytes.
bool parse_sockstat(std::string_view text, std::uint64_t page_size, Page& out);

/// /proc/net/softnet_stat: a line of hexadecimal numbers for each CPU.
bool parse_softnet(std::string_view text, Page& out);

/// /proc/net/stat/nf_conntrack: names, and below them hexadecimal numbers of each CPU, which are added up.
bool parse_conntrack_stat(std::string_view text, Page& out);

/// /proc/net/arp: a line for each neighbour, whose last word is the device.
bool parse_arp(std::string_view text, Page& out);

/// /proc/net/udp and udp6: "0: LOCAL REMOTE 07 TX:RX ...", hexadecimal. `ip`: "v4" or "v6".
bool parse_udp_queues(std::string_view text, std::string_view ip, Page& out);

}  // namespace flowtap::telemetry::node_exporter
