// Our page of node_exporter's names is that of Debian's prometheus-node-exporter, series by series, on the files of other nodes than
// this one: tests/golden/node_exporter has a server with GPUs and fabrics, and a small box.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "base/file.hpp"
#include "stats/compat/rows.hpp"
#include "telemetry/node_exporter/node_exporter_page.hpp"
#include "telemetry/node_exporter/readers.hpp"
#include "tests/support/files/file_tree.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/metrics/node_exporter.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::test {
namespace {

namespace compat = stats::compat;

// What later versions of node_exporter have by default, and dashboards ask for.
const std::set<std::string> kLater{"node_netstat_TcpExt_TCPOFOQueue", "node_netstat_TcpExt_TCPRcvQDrop",
                                   "node_softnet_received_rps_total", "node_softnet_flow_limit_count_total"};
// These are asked of the kernel, which is not the tree's, or tell of their own work.
const std::set<std::string> kNotOfFiles{"node_time_seconds", "node_time_zone_offset_seconds",
                                        "node_scrape_collector_duration_seconds", "node_selinux_enabled",
                                        "node_exporter_build_info"};

bool starts_with_any(const std::string& name, const std::vector<std::string>& all) {
  return std::ranges::any_of(all, [&](const std::string& prefix) { return name.starts_with(prefix); });
}

// Families that have no place in the page: their values are in our own table, or they are the kernel's of this machine.
bool is_elsewhere(const std::string& name) {
  if (kNotOfFiles.contains(name) || starts_with_any(name, {"node_uname_", "node_timex_", "promhttp_"}))
    return true;
  return std::ranges::any_of(compat::rows(), [&](const compat::Row& row) { return row.name == name; });
}

std::string name_of_series(const std::string& key) {
  return key.substr(0, key.find('{'));
}

// How a collector did, if both sides have all that is to be compared.
bool is_of_another_collector(const std::string& key) {
  if (name_of_series(key) != "node_scrape_collector_success") return false;
  if (key.contains("uname") || key.contains("timex")) return true;
  return std::ranges::none_of(telemetry::node_exporter::readers(), [&](const auto& reader) {
    return !reader.name.empty() && key.contains('"' + std::string(reader.name) + '"');
  });
}

// Files of a tree stand one after the other, each below "=== PATH"; "=== PATH -> TARGET" is a link.
void plant(FileTree& tree, const std::string& text) {
  constexpr std::string_view kFile = "=== ";
  constexpr std::string_view kLink = " -> ";
  std::string path;
  std::string content;
  const auto finish = [&] {
    if (!path.empty()) tree.file(path, content);
    path.clear();
    content.clear();
  };
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kFile)) {
      content += line + '\n';
      continue;
    }
    finish();
    path = line.substr(kFile.size());
    const auto arrow = path.find(kLink);
    if (arrow == std::string::npos) continue;
    const std::filesystem::path link = std::filesystem::path(tree.root()) / path.substr(0, arrow);
    std::filesystem::create_directories(link.parent_path());
    std::filesystem::create_symlink(path.substr(arrow + kLink.size()), link);
    path.clear();
  }
  finish();
}

struct Ours {
  SeriesMap all;
  std::map<std::string, std::string> types;
};

const char* type_name(compat::PageKind kind) {
  switch (kind) {
    case compat::PageKind::kCounter:
      return "counter";
    case compat::PageKind::kGauge:
      return "gauge";
    case compat::PageKind::kUntyped:
      return "untyped";
  }
  return "";
}

Ours ours_of(const compat::Page& page) {
  Ours ours;
  // As the text format writes them, and the reader of theirs leaves them.
  const auto escaped = [](const std::string& text) {
    std::string out;
    for (const char c : text) (c == '"' || c == '\\' ? out += '\\' : out) += c;
    return out;
  };
  for (const auto& [name, family] : page.families()) {
    ours.types.emplace(name, type_name(family.kind));
    EXPECT_FALSE(family.help.empty()) << name;
    for (const auto& [labels, value] : family.samples) {
      Labels shown;
      for (const auto& [key, text] : labels) shown.emplace(key, escaped(text));
      ours.all.emplace(series_key(name, shown), value);
    }
  }
  return ours;
}

// Paths in labels are those of the node, and not of the folder that stands for it.
SeriesMap as_on_the_node(const SeriesMap& all, const std::string& root) {
  SeriesMap same;
  for (const auto& [series, value] : all) {
    std::string key = series;
    if (const auto at = key.find(root); at != std::string::npos) key.erase(at, root.size());
    same.emplace(std::move(key), value);
  }
  return same;
}

void expect_equal_pages(const std::string& tree_name, std::size_t least) {
  FileTree tree;
  plant(tree, golden("node_exporter/" + tree_name + ".tree"));
  const ScratchRoot scratch;
  const PromPage theirs = NodeExporter(scratch, tree.root()).scrape();
  telemetry::NodeExporterPage page(tree.root());
  const Ours ours = ours_of(page.read());

  std::size_t compared = 0;
  const SeriesMap all_of_theirs = as_on_the_node(theirs.all, tree.root());
  for (const auto& [key, value] : all_of_theirs) {
    const std::string name = name_of_series(key);
    if (is_elsewhere(name) || is_of_another_collector(key)) continue;
    const auto at = ours.all.find(key);
    if (at == ours.all.end()) {
      ADD_FAILURE() << "not ours: " << key << ' ' << value;
      continue;
    }
    EXPECT_DOUBLE_EQ(at->second, value) << key;
    EXPECT_EQ(ours.types.at(name), theirs.types.at(name)) << name;
    ++compared;
  }
  for (const auto& [key, value] : ours.all) {
    const std::string name = name_of_series(key);
    if (!is_elsewhere(name) && !is_of_another_collector(key) && !kLater.contains(name)) {
      EXPECT_TRUE(all_of_theirs.contains(key)) << "not theirs: " << key << ' ' << value;
    }
  }
  std::printf("%s: %zu series are equal\n", tree_name.c_str(), compared);
  EXPECT_GE(compared, least);
}

TEST(NodeExporterNames, OfAServerWithGpusAndFabrics) {
  expect_equal_pages("gpu-server", 300);
}

TEST(NodeExporterNames, OfASmallBox) {
  expect_equal_pages("edge-box", 60);
}

// The names that the README says are not there: `a_{b,c}_d` stands for two, and `a_*` for all that begin so.
class SaidToLack {
 public:
  explicit SaidToLack(const std::string& readme) {
    for (std::size_t at = 0; (at = readme.find("`node_", at)) != std::string::npos;) {
      const auto end = readme.find('`', at + 1);
      add(readme.substr(at + 1, end - at - 1));
      at = end + 1;
    }
  }
  [[nodiscard]] bool has(const std::string& name) const {
    return names_.contains(name) || starts_with_any(name, prefixes_);
  }

 private:
  void add(const std::string& text) {
    const auto open = text.find('{');
    const auto close = text.find('}');
    if (open == std::string::npos || close == std::string::npos) {
      if (text.ends_with('*'))
        prefixes_.push_back(text.substr(0, text.size() - 1));
      else
        names_.insert(text);
      return;
    }
    std::istringstream parts(text.substr(open + 1, close - open - 1));
    for (std::string part; std::getline(parts, part, ',');)
      add(text.substr(0, open) + part + text.substr(close + 1));
  }

  std::set<std::string> names_;
  std::vector<std::string> prefixes_;
};

// What the most used dashboards and rules ask for; the names of the other exporters are in compat_labels_test.
TEST(NodeExporterNames, WhatDashboardsAskForIsThereOrHasAReason) {
  std::set<std::string> there;
  for (const compat::Row& row : compat::rows()) there.emplace(row.name);
  for (const char* name : {"gpu-server", "edge-box", ""}) {
    FileTree tree;
    if (*name != '\0') plant(tree, golden("node_exporter/" + std::string(name) + ".tree"));
    telemetry::NodeExporterPage page(*name != '\0' ? tree.root() : "/");
    const compat::Page read = page.read();
    for (const auto& [family, samples] : read.families()) there.insert(family);
  }
  const std::string readme = read_file(paths::in_sources("stats/compat/README.md")).value();
  const SaidToLack lacking(readme.substr(readme.find("| not there | why |")));
  std::istringstream table(golden("found/compat-names.tsv"));
  std::size_t asked = 0;
  for (std::string line; std::getline(table, line);) {
    const std::string name = line.substr(0, line.find('\t'));
    if (!name.starts_with("node_")) continue;
    ++asked;
    EXPECT_TRUE(there.contains(name) || lacking.has(name)) << name;
    EXPECT_FALSE(there.contains(name) && lacking.has(name)) << name << " is there";
  }
  EXPECT_GT(asked, 180U);
}

}  // namespace
}  // namespace flowtap::test
