#include "telemetry/node_exporter/textfile.hpp"

#include <sys/stat.h>

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
  for (const std::string& name : from.names(folder)) {
    if (!name.ends_with(".prom")) continue;
    const std::string path = folder + '/' + name;
    struct stat status{};
    Page page;
    const bool regular = ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
    const auto text = regular ? from.text(path) : std::nullopt;
    if (!text || !parse_exposition(*text, path, page)) {
      all_good = false;
      continue;
    }
    out.merge(std::move(page));
    out.add("node_textfile_mtime_seconds", PageKind::kGauge,
            "When a file that was read was written, in seconds since the Unix epoch.",
            {{"file", std::string(kTextfileFolder) + '/' + name}},
            static_cast<double>(status.st_mtim.tv_sec));
  }
  out.add("node_textfile_scrape_error", PageKind::kGauge, "Whether one of the files could not be read.", {},
          all_good ? 0 : 1);
  return Found::kSomething;
}

}  // namespace flowtap::telemetry::node_exporter
