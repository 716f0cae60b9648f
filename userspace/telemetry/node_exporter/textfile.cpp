#include "telemetry/node_exporter/textfile.hpp"

#include "telemetry/node_exporter/readers.hpp"

namespace flowtap::telemetry::node_exporter {
namespace {

// Where Debian's node_exporter looks.
constexpr std::string_view kTextfileFolder = "/var/lib/prometheus/node-exporter";

}  // namespace

// Nobody has to write such files, so a folder that is not there is no error.
Found read_textfile(Source& from, Page& out) {
  const std::string folder = from.root(kTextfileFolder);
  bool all_good = true;
  const auto names = from.names(folder);
  for (const std::string& name : names) {
    if (!name.ends_with(".prom")) continue;
    Page page(kMostOfReader);
    const auto file = from.on_disk(folder + '/' + name);
    // As a whole or not at all, and with room for what is told of all files.
    if (!file || !parse_exposition(file->text, name, page) ||
        page.samples() + names.size() + 1 > out.room()) {
      all_good = false;
      continue;
    }
    out.merge(std::move(page));
    out.add("node_textfile_mtime_seconds", PageKind::kGauge,
            "When a file that was read was written, in seconds since the Unix epoch.",
            {{"file", std::string(kTextfileFolder) + '/' + name}}, static_cast<double>(file->written));
  }
  out.add("node_textfile_scrape_error", PageKind::kGauge, "Whether one of the files could not be read.", {},
          all_good ? 0 : 1);
  return Found::kSomething;
}

}  // namespace flowtap::telemetry::node_exporter
