// The board: what its firmware says of it, and the errors of its memory.
#include <array>

#include "telemetry/node_exporter/readers.hpp"

namespace flowtap::telemetry::node_exporter {
namespace {

struct DmiField {
  std::string_view file;
  std::string_view label;
};
constexpr std::array kDmiFields{
    DmiField{"bios_date", "bios_date"},
    DmiField{"bios_release", "bios_release"},
    DmiField{"bios_vendor", "bios_vendor"},
    DmiField{"bios_version", "bios_version"},
    DmiField{"board_asset_tag", "board_asset_tag"},
    DmiField{"board_name", "board_name"},
    DmiField{"board_serial", "board_serial"},
    DmiField{"board_vendor", "board_vendor"},
    DmiField{"board_version", "board_version"},
    DmiField{"chassis_asset_tag", "chassis_asset_tag"},
    DmiField{"chassis_serial", "chassis_serial"},
    DmiField{"chassis_vendor", "chassis_vendor"},
    DmiField{"chassis_version", "chassis_version"},
    DmiField{"product_family", "product_family"},
    DmiField{"product_name", "product_name"},
    DmiField{"product_serial", "product_serial"},
    DmiField{"product_sku", "product_sku"},
    DmiField{"product_uuid", "product_uuid"},
    DmiField{"product_version", "product_version"},
    DmiField{"sys_vendor", "system_vendor"},
};

void add_errors(Source& from, const std::string& folder, std::string_view name, const LabelPairs& labels,
                const char* correctable, const char* uncorrectable, Page& out) {
  const auto add = [&](const char* file, const char* kind) {
    if (const auto count = from.number(folder + file))
      out.add("node_edac_" + std::string(name) + kind + "_errors_total", PageKind::kCounter,
              "From " + std::string(file) + " of EDAC.", labels, *count);
  };
  add(correctable, "correctable");
  add(uncorrectable, "uncorrectable");
}

}  // namespace

Found read_dmi(Source& from, Page& out) {
  const std::string folder = from.sys("/class/dmi/id/");
  LabelPairs labels;
  for (const DmiField& field : kDmiFields)
    if (auto value = from.line(folder + std::string(field.file)))
      labels.emplace_back(field.label, std::move(*value));
  if (labels.empty()) return Found::kNothing;
  out.add("node_dmi_info", PageKind::kGauge, "What the firmware says of the board.", std::move(labels), 1);
  return Found::kSomething;
}

// Documentation/ABI/testing/sysfs-devices-edac. Errors that no row can be told of have the row "unknown".
Found read_edac(Source& from, Page& out) {
  const std::string all = from.sys("/devices/system/edac/mc/");
  for (const std::string& name : from.names(all, "mc")) {
    const std::string controller = number_after("mc", name);
    if (controller.empty()) continue;
    const std::string folder = all + name + '/';
    add_errors(from, folder, "", {{"controller", controller}}, "ce_count", "ue_count", out);
    add_errors(from, folder, "csrow_", {{"controller", controller}, {"csrow", "unknown"}}, "ce_noinfo_count",
               "ue_noinfo_count", out);
    for (const std::string& row : from.names(folder, "csrow")) {
      const std::string number = number_after("csrow", row);
      if (!number.empty())
        add_errors(from, folder + row + '/', "csrow_", {{"controller", controller}, {"csrow", number}},
                   "ce_count", "ue_count", out);
    }
  }
  return Found::kSomething;
}

}  // namespace flowtap::telemetry::node_exporter
