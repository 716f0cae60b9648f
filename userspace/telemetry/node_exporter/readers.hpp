// The collectors of prometheus-node-exporter that are on by default, except for those whose values our own table has.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "stats/compat/page.hpp"
#include "telemetry/node_exporter/source.hpp"

namespace flowtap::telemetry::node_exporter {

using stats::compat::LabelPairs;
using stats::compat::Page;
using stats::compat::PageKind;

/// The most series that one reader may give, so that it leaves room for all others.
inline constexpr std::size_t kMostOfReader = 32768;

/// kNothing: this node has nothing of the kind.
enum class Found : std::uint8_t { kSomething, kNothing };

/// Readers of one lane are called one after the other, so one that hangs holds up only its lane.
enum class Lane : std::uint8_t {
  kProc,     ///< memory of the kernel: never hangs
  kCpus,     ///< a driver may ask each CPU, and the kernel delays that
  kNetwork,  ///< the lock of the network's configuration
  kSensors,  ///< a management controller or a bus
  kFabric,   ///< firmware of adapters
  kDevices,  ///< what else has a driver
  kDisk,     ///< a file system on a disk
};
inline constexpr std::uint8_t kLanes = 7;

struct Reader {
  std::string_view name;  ///< the collector's in node_exporter
  Lane lane;
  Found (*read)(Source&, Page&);
};

[[nodiscard]] std::span<const Reader> readers();

/// kSomething if the one before has found something.
constexpr Found found_if(bool something) {
  return something ? Found::kSomething : Found::kNothing;
}

// procfs.cpp
Found read_arp(Source& from, Page& out);
Found read_conntrack(Source& from, Page& out);
Found read_entropy(Source& from, Page& out);
Found read_filefd(Source& from, Page& out);
Found read_meminfo(Source& from, Page& out);
Found read_netdev_nohandler(Source& from, Page& out);
Found read_netstat(Source& from, Page& out);
Found read_sockstat(Source& from, Page& out);
Found read_softnet(Source& from, Page& out);
Found read_udp_queues(Source& from, Page& out);
Found read_vmstat(Source& from, Page& out);

// system.cpp
Found read_os(Source& from, Page& out);
Found read_selinux(Source& from, Page& out);
Found read_time(Source& from, Page& out);
Found read_timex(Source& from, Page& out);
Found read_uname(Source& from, Page& out);

// network.cpp
Found read_bonding(Source& from, Page& out);
Found read_netclass(Source& from, Page& out);

// cpus.cpp
Found read_cpu_throttles(Source& from, Page& out);
Found read_cpufreq(Source& from, Page& out);

// sensors
Found read_hwmon(Source& from, Page& out);         // hwmon.cpp
Found read_power_supply(Source& from, Page& out);  // power_supply.cpp
Found read_thermal_zone(Source& from, Page& out);  // thermal.cpp

// fabric.cpp
Found read_fibrechannel(Source& from, Page& out);
Found read_infiniband(Source& from, Page& out);

// board.cpp
Found read_dmi(Source& from, Page& out);
Found read_edac(Source& from, Page& out);

// drives.cpp
Found read_disk_info(Source& from, Page& out);
Found read_mdadm(Source& from, Page& out);
Found read_nvme(Source& from, Page& out);
Found read_tapestats(Source& from, Page& out);

// file_systems/
Found read_bcache(Source& from, Page& out);
Found read_btrfs(Source& from, Page& out);
Found read_nfs(Source& from, Page& out);
Found read_nfsd(Source& from, Page& out);
Found read_xfs(Source& from, Page& out);
Found read_zfs(Source& from, Page& out);

Found read_ipvs(Source& from, Page& out);      // ipvs.cpp
Found read_textfile(Source& from, Page& out);  // textfile.cpp

}  // namespace flowtap::telemetry::node_exporter
