// Adapters of InfiniBand and RoCE, and of Fibre Channel.
#include <array>

#include "base/trimmed.hpp"
#include "telemetry/collecting/fields.hpp"
#include "telemetry/node_exporter/readers.hpp"

namespace flowtap::telemetry::node_exporter {
namespace {

struct FabricCounter {
  std::string_view file;
  std::string_view name;
  double scale = 1;
};
// The counters of data count words of four bytes (Documentation/ABI/stable/sysfs-class-infiniband).
constexpr double kWord = 4;
constexpr std::array kPortCounters{
    FabricCounter{"counters/excessive_buffer_overrun_errors", "excessive_buffer_overrun_errors_total"},
    FabricCounter{"counters/link_downed", "link_downed_total"},
    FabricCounter{"counters/link_error_recovery", "link_error_recovery_total"},
    FabricCounter{"counters/local_link_integrity_errors", "local_link_integrity_errors_total"},
    FabricCounter{"counters/multicast_rcv_packets", "multicast_packets_received_total"},
    FabricCounter{"counters/multicast_xmit_packets", "multicast_packets_transmitted_total"},
    FabricCounter{"counters/port_rcv_constraint_errors", "port_constraint_errors_received_total"},
    FabricCounter{"counters/port_xmit_constraint_errors", "port_constraint_errors_transmitted_total"},
    FabricCounter{"counters/port_rcv_data", "port_data_received_bytes_total", kWord},
    FabricCounter{"counters/port_xmit_data", "port_data_transmitted_bytes_total", kWord},
    FabricCounter{"counters/port_rcv_discards", "port_discards_received_total"},
    FabricCounter{"counters/port_xmit_discards", "port_discards_transmitted_total"},
    FabricCounter{"counters/port_rcv_errors", "port_errors_received_total"},
    FabricCounter{"counters/port_rcv_packets", "port_packets_received_total"},
    FabricCounter{"counters/port_xmit_packets", "port_packets_transmitted_total"},
    FabricCounter{"counters/port_xmit_wait", "port_transmit_wait_total"},
    FabricCounter{"counters/port_rcv_remote_physical_errors", "port_receive_remote_physical_errors_total"},
    FabricCounter{"counters/port_rcv_switch_relay_errors", "port_receive_switch_relay_errors_total"},
    FabricCounter{"counters/symbol_error", "symbol_error_total"},
    FabricCounter{"counters/unicast_rcv_packets", "unicast_packets_received_total"},
    FabricCounter{"counters/unicast_xmit_packets", "unicast_packets_transmitted_total"},
    FabricCounter{"counters/VL15_dropped", "vl15_dropped_total"},
    FabricCounter{"counters_ext/port_multicast_rcv_packets", "legacy_multicast_packets_received_total"},
    FabricCounter{"counters_ext/port_multicast_xmit_packets", "legacy_multicast_packets_transmitted_total"},
    FabricCounter{"counters_ext/port_rcv_data_64", "legacy_data_received_bytes_total", kWord},
    FabricCounter{"counters_ext/port_xmit_data_64", "legacy_data_transmitted_bytes_total", kWord},
    FabricCounter{"counters_ext/port_rcv_packets_64", "legacy_packets_received_total"},
    FabricCounter{"counters_ext/port_xmit_packets_64", "legacy_packets_transmitted_total"},
    FabricCounter{"counters_ext/port_unicast_rcv_packets", "legacy_unicast_packets_received_total"},
    FabricCounter{"counters_ext/port_unicast_xmit_packets", "legacy_unicast_packets_transmitted_total"},
};

constexpr std::array kHostCounters{
    FabricCounter{"dumped_frames", "dumped_frames_total"},
    FabricCounter{"error_frames", "error_frames_total"},
    FabricCounter{"invalid_crc_count", "invalid_crc_total"},
    FabricCounter{"rx_frames", "rx_frames_total"},
    FabricCounter{"rx_words", "rx_words_total"},
    FabricCounter{"tx_frames", "tx_frames_total"},
    FabricCounter{"tx_words", "tx_words_total"},
    FabricCounter{"seconds_since_last_reset", "seconds_since_last_reset_total"},
    FabricCounter{"invalid_tx_word_count", "invalid_tx_words_total"},
    FabricCounter{"link_failure_count", "link_failure_total"},
    FabricCounter{"loss_of_sync_count", "loss_of_sync_total"},
    FabricCounter{"loss_of_signal_count", "loss_of_signal_total"},
    FabricCounter{"nos_count", "nos_total"},
    FabricCounter{"fcp_packet_aborts", "fcp_packet_aborts_total"},
};
// All bits set: the adapter does not count it.
constexpr double kNotCounted = 18446744073709551615.0;

void add_port(Source& from, const std::string& folder, const LabelPairs& labels, Page& out) {
  const auto add = [&](const char* name, PageKind kind, std::string_view help, std::optional<double> value) {
    if (value) out.add("node_infiniband_" + std::string(name), kind, help, labels, *value);
  };
  // "4: ACTIVE"
  const auto state = [&](const char* file) -> std::optional<double> {
    const auto text = from.line(folder + file);
    return text ? number_in(trimmed(text->substr(0, text->find(':')))) : std::nullopt;
  };
  add("state_id", PageKind::kGauge, "State of the port: 1 down, 2 init, 3 armed, 4 active, 5 deferred.",
      state("state"));
  add("physical_state_id", PageKind::kGauge,
      "Physical state: 1 sleep, 2 polling, 3 disabled, 4 training, 5 up, 6 recovery, 7 test.",
      state("phys_state"));
  if (const auto text = from.line(folder + "rate")) {  // "100 Gb/sec (4X EDR)"
    std::string_view words = *text;
    const auto rate = number_in(next_word(words));
    add("rate_bytes_per_second", PageKind::kGauge, "The most that the port can carry.",
        rate ? std::optional(*rate * 1e9 / 8) : std::nullopt);
  }
  for (const FabricCounter& counter : kPortCounters)
    if (const auto value = from.number(folder + std::string(counter.file)))
      out.add("node_infiniband_" + std::string(counter.name), PageKind::kCounter,
              "From ports/<port>/" + std::string(counter.file) + ".", labels, *value * counter.scale);
}

}  // namespace

Found read_infiniband(Source& from, Page& out) {
  const std::string all = from.sys("/class/infiniband/");
  if (!Source::is_there(all)) return Found::kNothing;
  for (const std::string& device : from.names(all)) {
    const std::string folder = all + device + '/';
    const auto text = [&](const char* file) { return from.line(folder + file).value_or(""); };
    out.add("node_infiniband_info", PageKind::kGauge, "What is text in /sys/class/infiniband.",
            {{"board_id", text("board_id")},
             {"device", device},
             {"firmware_version", text("fw_ver")},
             {"hca_type", text("hca_type")}},
            1);
    for (const std::string& port : from.names(folder + "ports"))
      add_port(from, folder + "ports/" + port + '/', {{"device", device}, {"port", port}}, out);
  }
  return Found::kSomething;
}

Found read_fibrechannel(Source& from, Page& out) {
  const std::string all = from.sys("/class/fc_host/");
  if (!Source::is_there(all)) return Found::kNothing;
  for (const std::string& host : from.names(all)) {
    const std::string folder = all + host + '/';
    const auto text = [&](const char* file) { return from.line(folder + file).value_or(""); };
    const auto without_0x = [&](const char* file) {
      const std::string value = text(file);
      return value.size() > 2 ? value.substr(2) : value;
    };
    out.add("node_fibrechannel_info", PageKind::kGauge, "What is text in /sys/class/fc_host.",
            {{"dev_loss_tmo", text("dev_loss_tmo")},
             {"fabric_name", without_0x("fabric_name")},
             {"fc_host", host},
             {"port_id", without_0x("port_id")},
             {"port_name", without_0x("port_name")},
             {"port_state", text("port_state")},
             {"port_type", text("port_type")},
             {"speed", text("speed")},
             {"supported_classes", text("supported_classes")},
             {"supported_speeds", text("supported_speeds")},
             {"symbolic_name", text("symbolic_name")}},
            1);
    for (const FabricCounter& counter : kHostCounters) {
      const auto value = from.number(folder + "statistics/" + std::string(counter.file));
      if (value && *value != kNotCounted)
        out.add("node_fibrechannel_" + std::string(counter.name), PageKind::kCounter,
                "From /sys/class/fc_host/<fc_host>/statistics/" + std::string(counter.file) + ".",
                {{"fc_host", host}}, *value);
    }
  }
  return Found::kSomething;
}

}  // namespace flowtap::telemetry::node_exporter
