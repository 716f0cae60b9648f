#include "telemetry/node_exporter/readers.hpp"

#include <array>

namespace flowtap::telemetry::node_exporter {
namespace {

// Those without a name are a part of a collector whose other values are in our own table.
constexpr std::array kReaders{
    Reader{"arp", Lane::kProc, read_arp},
    Reader{"conntrack", Lane::kProc, read_conntrack},
    Reader{"entropy", Lane::kProc, read_entropy},
    Reader{"filefd", Lane::kProc, read_filefd},
    Reader{"ipvs", Lane::kDevices, read_ipvs},
    Reader{"meminfo", Lane::kProc, read_meminfo},
    Reader{"netstat", Lane::kProc, read_netstat},
    Reader{"nfs", Lane::kProc, read_nfs},
    Reader{"nfsd", Lane::kProc, read_nfsd},
    Reader{"os", Lane::kDisk, read_os},
    Reader{"selinux", Lane::kDisk, read_selinux},
    Reader{"sockstat", Lane::kProc, read_sockstat},
    Reader{"softnet", Lane::kProc, read_softnet},
    Reader{"time", Lane::kProc, read_time},
    Reader{"timex", Lane::kProc, read_timex},
    Reader{"udp_queues", Lane::kProc, read_udp_queues},
    Reader{"uname", Lane::kProc, read_uname},
    Reader{"vmstat", Lane::kProc, read_vmstat},
    Reader{"", Lane::kDevices, read_cpu_throttles},
    Reader{"cpufreq", Lane::kCpus, read_cpufreq},
    Reader{"bonding", Lane::kNetwork, read_bonding},
    Reader{"netclass", Lane::kNetwork, read_netclass},
    Reader{"", Lane::kNetwork, read_netdev_nohandler},
    Reader{"hwmon", Lane::kSensors, read_hwmon},
    Reader{"powersupplyclass", Lane::kDevices, read_power_supply},
    Reader{"thermal_zone", Lane::kDevices, read_thermal_zone},
    Reader{"fibrechannel", Lane::kFabric, read_fibrechannel},
    Reader{"infiniband", Lane::kFabric, read_infiniband},
    Reader{"bcache", Lane::kDevices, read_bcache},
    Reader{"btrfs", Lane::kDevices, read_btrfs},
    Reader{"dmi", Lane::kDevices, read_dmi},
    Reader{"edac", Lane::kDevices, read_edac},
    Reader{"", Lane::kDevices, read_disk_info},
    Reader{"mdadm", Lane::kDevices, read_mdadm},
    Reader{"nvme", Lane::kDevices, read_nvme},
    Reader{"tapestats", Lane::kDevices, read_tapestats},
    Reader{"xfs", Lane::kDevices, read_xfs},
    Reader{"zfs", Lane::kDevices, read_zfs},
    Reader{"textfile", Lane::kDisk, read_textfile},
};

}  // namespace

std::span<const Reader> readers() {
  return kReaders;
}

}  // namespace flowtap::telemetry::node_exporter
