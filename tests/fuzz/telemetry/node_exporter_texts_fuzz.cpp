// Any bytes as the texts from which names of node_exporter are made. The first byte says which text. Names are valid,
// labels can be shown, nothing comes twice, and there is no more of it than there was text for.
#include <cmath>
#include <cstdint>
#include <string_view>

#include "base/ascii.hpp"
#include "telemetry/node_exporter/drives.hpp"
#include "telemetry/node_exporter/file_systems/file_system_text.hpp"
#include "telemetry/node_exporter/ipvs.hpp"
#include "telemetry/node_exporter/proc_text.hpp"
#include "telemetry/node_exporter/source.hpp"
#include "telemetry/node_exporter/textfile.hpp"
#include "tests/fuzz/require.hpp"

using flowtap::fuzz::require;

namespace {

using flowtap::stats::compat::Page;

// `finite`: only a text file may say that something is infinite. `least`: what a text of no bytes may have.
void look_at(const Page& page, std::size_t size, bool finite, std::size_t least) {
  std::size_t samples = 0;
  for (const auto& [name, family] : page.families()) {
    require(!name.empty() && !flowtap::is_digit(name.front()));
    for (const char c : name) require(flowtap::is_alphanumeric(c) || c == '_' || c == ':');
    require(!family.samples.empty());
    for (const auto& [labels, value] : family.samples) {
      require(!finite || std::isfinite(value));
      for (const auto& [key, text] : labels) {
        require(!key.empty());
        for (const char c : text) require(static_cast<unsigned char>(c) >= ' ');
      }
    }
    samples += family.samples.size();
  }
  require(samples <= size * 64 + least);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace read = flowtap::telemetry::node_exporter;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  Page page;
  bool finite = true;
  switch (data[0]) {
    case 'm':
      (void)read::parse_all_meminfo(text, page);
      break;
    case 'v':
      (void)read::parse_vmstat_events(text, page);
      break;
    case 'n':
      (void)read::parse_netstat(text, page);
      break;
    case '6':
      (void)read::parse_snmp6(text, page);
      break;
    case 's':
      (void)read::parse_sockstat(text, 4096, page);
      break;
    case 'o':
      (void)read::parse_softnet(text, page);
      break;
    case 'c':
      (void)read::parse_conntrack_stat(text, page);
      break;
    case 'a':
      (void)read::parse_arp(text, page);
      break;
    case 'u':
      (void)read::parse_udp_queues(text, "v4", page);
      break;
    case 'd':
      (void)read::parse_mdstat(text, page);
      break;
    case 'i':
      (void)read::parse_ipvs_stats(text, page);
      break;
    case 'b':
      (void)read::parse_ipvs_backends(text, page);
      break;
    case 'x':
      (void)read::parse_xfs_stats(text, "sda1", page);
      break;
    case 'z':
      (void)read::parse_zfs_kstat(text, "node_zfs_arc_", page);
      break;
    case 'Z':
      (void)read::parse_zfs_objset(text, "tank", page);
      break;
    case 'p':
      (void)read::parse_zfs_pool_io(text, "tank", page);
      break;
    case 'f':
      (void)read::parse_nfs_client(text, page);
      break;
    case 'F':
      (void)read::parse_nfs_server(text, page);
      break;
    case 'k':
      (void)read::parse_bcache_writeback(text, {{"uuid", "x"}}, page);
      break;
    case 't':
      (void)read::parse_exposition(text, "a.prom", page);
      finite = false;
      break;
    default:
      (void)read::number_in(text);
      break;
  }
  look_at(page, size, finite, 64);
  return 0;
}
