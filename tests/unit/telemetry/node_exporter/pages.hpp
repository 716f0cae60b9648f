// Reads of one page, for tests.
#pragma once

#include <map>
#include <string>

#include "stats/compat/page.hpp"

namespace flowtap::telemetry::node_exporter {

/// By name and labels: `node_arp_entries{device="eth0"}`.
inline std::map<std::string, double> series_of(const stats::compat::Page& page) {
  std::map<std::string, double> all;
  for (const auto& [name, family] : page.families())
    for (const auto& [labels, value] : family.samples) {
      std::string key = name;
      for (const auto& [label, text] : labels)
        key.append(key.size() == name.size() ? "{" : ",")
            .append(label)
            .append("=\"")
            .append(text)
            .append("\"");
      all.emplace(labels.empty() ? key : key + '}', value);
    }
  return all;
}

}  // namespace flowtap::telemetry::node_exporter
