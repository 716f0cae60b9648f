// The attributes of network devices.
#include <array>

#include "telemetry/collecting/fields.hpp"
#include "telemetry/node_exporter/readers.hpp"

namespace flowtap::telemetry::node_exporter {
namespace {

constexpr std::string_view kNetFolder = "/class/net/";
constexpr std::string_view kHandlerless = "node_network_receive_nohandler_total";

struct NetAttribute {
  std::string_view file;
  std::string_view name;
  PageKind kind = PageKind::kGauge;
  double scale = 1;
};
// Documentation/ABI/testing/sysfs-class-net. A speed of -1 Mbit/s is one that the device does not know; it is shown as
// node_exporter shows it, since rules compare it with 0.
constexpr std::array kNetAttributes{
    NetAttribute{"addr_assign_type", "address_assign_type"},
    NetAttribute{"carrier", "carrier"},
    NetAttribute{"carrier_changes", "carrier_changes_total", PageKind::kCounter},
    NetAttribute{"carrier_up_count", "carrier_up_changes_total", PageKind::kCounter},
    NetAttribute{"carrier_down_count", "carrier_down_changes_total", PageKind::kCounter},
    NetAttribute{"dev_id", "device_id"},
    NetAttribute{"dormant", "dormant"},
    NetAttribute{"flags", "flags"},
    NetAttribute{"ifindex", "iface_id"},
    NetAttribute{"iflink", "iface_link"},
    NetAttribute{"link_mode", "iface_link_mode"},
    NetAttribute{"mtu", "mtu_bytes"},
    NetAttribute{"name_assign_type", "name_assign_type"},
    NetAttribute{"netdev_group", "net_dev_group"},
    NetAttribute{"speed", "speed_bytes", PageKind::kGauge, 1e6 / 8},
    NetAttribute{"tx_queue_len", "transmit_queue_length"},
    NetAttribute{"type", "protocol_type"},
};

void add_net_device(Source& from, const std::string& folder, const std::string& device, Page& out) {
  const auto text = [&](const char* file) { return from.line(folder + file).value_or(""); };
  const std::string state = text("operstate");
  out.add("node_network_up", PageKind::kGauge, "Whether the device is up (operstate).", {{"device", device}},
          state == "up" ? 1 : 0);
  out.add("node_network_info", PageKind::kGauge, "What is text in /sys/class/net.",
          {{"address", text("address")},
           {"broadcast", text("broadcast")},
           {"device", device},
           {"duplex", text("duplex")},
           {"ifalias", text("ifalias")},
           {"operstate", state}},
          1);
  for (const NetAttribute& attribute : kNetAttributes)
    if (const auto value = from.number(folder + std::string(attribute.file)))
      out.add("node_network_" + std::string(attribute.name), attribute.kind,
              "From /sys/class/net/<device>/" + std::string(attribute.file) + ".", {{"device", device}},
              *value * attribute.scale);
}

}  // namespace

Found read_netclass(Source& from, Page& out) {
  bool found = false;
  for (const std::string& device : from.names(from.sys(kNetFolder))) {
    const std::string folder = from.sys(kNetFolder) + device + '/';
    if (!Source::is_there(folder)) continue;  // a file of the bonding driver
    add_net_device(from, folder, device, out);
    found = true;
  }
  return found_if(found);
}

// The one number of node_exporter's netdev that /proc/net/dev does not have.
Found read_netdev_nohandler(Source& from, Page& out) {
  for (const std::string& device : from.names(from.sys(kNetFolder)))
    if (const auto packets = from.number(from.sys(kNetFolder) + device + "/statistics/rx_nohandler"))
      out.add(kHandlerless, PageKind::kCounter, "Packets that nobody on the node wanted.",
              {{"device", device}}, *packets);
  return Found::kSomething;
}

Found read_bonding(Source& from, Page& out) {
  const auto masters = from.line(from.sys("/class/net/bonding_masters"));
  if (!masters) return Found::kNothing;
  std::string_view names = *masters;
  for (auto master = next_word(names); !master.empty(); master = next_word(names)) {
    const std::string folder = from.sys(kNetFolder) + std::string(master) + '/';
    const auto members = from.line(folder + "bonding/slaves");
    if (!members) {
      from.fail();
      continue;
    }
    double all = 0;
    double active = 0;
    std::string_view rest = *members;
    for (auto member = next_word(rest); !member.empty(); member = next_word(rest)) {
      std::string state = folder + "lower_";
      state.append(member).append("/bonding_slave/mii_status");
      auto status = from.line(state);
      if (!status)  // as kernels before 3.13 named it
        status = from.line(folder + "slave_" + std::string(member) + "/bonding_slave/mii_status");
      all += 1;
      active += status == "up" ? 1 : 0;
    }
    const LabelPairs labels{{"master", std::string(master)}};
    out.add("node_bonding_slaves", PageKind::kGauge, "Devices in the bond.", labels, all);
    out.add("node_bonding_active", PageKind::kGauge, "Devices in the bond whose link is up.", labels, active);
  }
  return Found::kSomething;
}

}  // namespace flowtap::telemetry::node_exporter
