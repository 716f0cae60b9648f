// Drives: what udev knows of them, NVMe's controllers, and arrays of the md driver.
#include <array>
#include <map>

#include "telemetry/collecting/fields.hpp"
#include "telemetry/node/disks.hpp"
#include "telemetry/node_exporter/drives.hpp"
#include "telemetry/node_exporter/readers.hpp"

namespace flowtap::telemetry::node_exporter {
namespace {

using UdevFields = std::map<std::string, std::string, std::less<>>;

struct AtaField {
  std::string_view key;
  std::string_view name;
  std::string_view help;
};
constexpr std::array kAtaFields{
    AtaField{"ID_ATA_WRITE_CACHE", "node_disk_ata_write_cache", "Whether the ATA disk has a write cache."},
    AtaField{"ID_ATA_WRITE_CACHE_ENABLED", "node_disk_ata_write_cache_enabled",
             "Whether the ATA disk's write cache is enabled."},
    AtaField{"ID_ATA_ROTATION_RATE_RPM", "node_disk_ata_rotation_rate_rpm",
             "Rotations of the ATA disk per minute; 0 if it does not rotate."}};

struct TapeFile {
  std::string_view file;
  std::string_view name;
  PageKind kind = PageKind::kCounter;
  double scale = 1;
};
constexpr std::array kTapeFiles{
    TapeFile{"in_flight", "io_now", PageKind::kGauge},
    TapeFile{"io_ns", "io_time_seconds_total", PageKind::kCounter, 1e-9},
    TapeFile{"other_cnt", "io_others_total"},
    TapeFile{"read_byte_cnt", "read_bytes_total"},
    TapeFile{"read_cnt", "reads_completed_total"},
    TapeFile{"read_ns", "read_time_seconds_total", PageKind::kCounter, 1e-9},
    TapeFile{"resid_cnt", "residual_total"},
    TapeFile{"write_byte_cnt", "written_bytes_total"},
    TapeFile{"write_cnt", "writes_completed_total"},
    TapeFile{"write_ns", "write_time_seconds_total", PageKind::kCounter, 1e-9},
};

// udev's database has lines of "E:NAME=value" for a device.
UdevFields udev_fields(Source& from, std::string_view major, std::string_view minor) {
  UdevFields fields;
  std::string name = "/run/udev/data/b";
  name.append(major).append(1, ':').append(minor);
  const auto text = from.text(from.root(name));
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  while (!rest.empty()) {
    std::string_view line = next_line(rest);
    if (!line.starts_with("E:")) continue;
    line.remove_prefix(2);
    const auto equals = line.find('=');
    if (equals != std::string_view::npos)
      fields.insert_or_assign(std::string(line.substr(0, equals)), line.substr(equals + 1));
  }
  return fields;
}

void add_disk(const UdevFields& fields, const std::string& device, std::string_view major,
              std::string_view minor, Page& out) {
  const auto field = [&](std::string_view name) {
    const auto at = fields.find(name);
    return at == fields.end() ? std::string() : at->second;
  };
  std::string serial = field("SCSI_IDENT_SERIAL");  // what is printed on the drive
  if (serial.empty()) serial = field("ID_SERIAL_SHORT");
  out.add("node_disk_info", PageKind::kGauge, "What udev knows of the disk.",
          {{"device", device},
           {"major", std::string(major)},
           {"minor", std::string(minor)},
           {"model", field("ID_MODEL")},
           {"path", field("ID_PATH")},
           {"revision", field("ID_REVISION")},
           {"serial", serial},
           {"wwn", field("ID_WWN")}},
          1);
  if (!field("ID_FS_TYPE").empty())
    out.add("node_disk_filesystem_info", PageKind::kGauge, "The file system on the disk.",
            {{"device", device},
             {"type", field("ID_FS_TYPE")},
             {"usage", field("ID_FS_USAGE")},
             {"uuid", field("ID_FS_UUID")},
             {"version", field("ID_FS_VERSION")}},
            1);
  if (!field("DM_NAME").empty())
    out.add("node_disk_device_mapper_info", PageKind::kGauge, "The device mapper's names of the disk.",
            {{"device", device},
             {"lv_layer", field("DM_LV_LAYER")},
             {"lv_name", field("DM_LV_NAME")},
             {"name", field("DM_NAME")},
             {"uuid", field("DM_UUID")},
             {"vg_name", field("DM_VG_NAME")}},
            1);
  if (field("ID_ATA").empty()) return;
  for (const AtaField& ata : kAtaFields)
    if (const auto value = number_in(field(ata.key)))
      out.add(ata.name, PageKind::kGauge, ata.help, {{"device", device}}, *value);
}

}  // namespace

Found read_disk_info(Source& from, Page& out) {
  const auto text = from.text(from.proc("/diskstats"));
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  while (!rest.empty()) {
    std::string_view line = next_line(rest);
    const std::string_view major = next_word(line);
    const std::string_view minor = next_word(line);
    const std::string_view device = next_word(line);
    if (!whole_number(major) || !whole_number(minor) || device.empty() || !is_whole_disk(device)) continue;
    add_disk(udev_fields(from, major, minor), std::string(device), major, minor, out);
  }
  return Found::kSomething;
}

Found read_nvme(Source& from, Page& out) {
  const std::string all = from.sys("/class/nvme/");
  if (!Source::is_there(all)) return Found::kNothing;
  for (const std::string& device : from.names(all)) {
    const auto text = [&](const char* file) { return from.line(all + device + '/' + file).value_or(""); };
    out.add("node_nvme_info", PageKind::kGauge, "What is text in /sys/class/nvme.",
            {{"device", device},
             {"firmware_revision", text("firmware_rev")},
             {"model", text("model")},
             {"serial", text("serial")},
             {"state", text("state")}},
            1);
  }
  return Found::kSomething;
}

// Documentation/scsi/st.rst. The folder has more than one name for each drive, by how it rewinds.
Found read_tapestats(Source& from, Page& out) {
  const std::string all = from.sys("/class/scsi_tape/");
  if (!Source::is_there(all)) return Found::kNothing;
  for (const std::string& device : from.names(all, "st")) {
    if (device.size() < 3 || !whole_number(std::string_view(device).substr(2))) continue;
    for (const TapeFile& file : kTapeFiles)
      if (const auto value = from.number(all + device + "/stats/" + std::string(file.file)))
        out.add("node_tape_" + std::string(file.name), file.kind,
                "From /sys/class/scsi_tape/<device>/stats/" + std::string(file.file) + ".",
                {{"device", device}}, *value * file.scale);
  }
  return Found::kSomething;
}

Found read_mdadm(Source& from, Page& out) {
  const auto text = from.text(from.proc("/mdstat"));
  if (!text) return Found::kNothing;
  if (!parse_mdstat(*text, out)) from.fail();
  return Found::kSomething;
}

}  // namespace flowtap::telemetry::node_exporter
