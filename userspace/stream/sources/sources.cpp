#include "stream/sources/sources.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "base/with_hint.hpp"

namespace flowtap {
namespace {

// Listed files are looked at within milliseconds; only a thread that hangs takes longer.
constexpr auto kFilesEnd = std::chrono::seconds(1);

void note_listing(const Status& listed) {
  if (!listed) spdlog::warn("stream: listed units and processes: {}", listed.error().what);
}

}  // namespace

Sources::Sources(SourceKit kit) : kit_(std::move(kit)) {
  if (kit_.files != nullptr)
    taps_ = std::make_unique<ProcessTaps>(kit_.live, *kit_.files, kit_.slots, kit_.consumer);
}

void Sources::run(const SourceOptions& options, std::vector<std::string>& warnings) {
  if (kit_.files == nullptr) return;
  auto listed = ListedProcesses::open(kit_.host_root, kit_.live, *kit_.files, kit_.slots, kit_.consumer);
  if (listed)
    listed_.emplace(std::move(*listed));
  else
    warnings.push_back("listed units and processes are not captured: " + with_hint(listed.error()));
  auto files = FileSources::open(kit_.host_root, *kit_.files, kit_.slots, kit_.journal, kit_.streams);
  if (!files) {
    warnings.push_back("listed files are not followed: " + with_hint(files.error()));
    return;
  }
  files_ = std::move(*files);
  set(options);
  files_->start();
}

void Sources::set(const SourceOptions& options) {
  // Files come first: what a listed process writes to one of them is that file's.
  if (files_) files_->set(options.files);
  if (listed_) note_listing(listed_->set(options.units, options.processes));
}

void Sources::look_around(bool missed) {
  const bool released = taps_ && taps_->take_released();
  if (listed_) note_listing(listed_->look(released || missed));
}

bool Sources::stop() {
  return !files_ || files_->stop(kFilesEnd);
}

void Sources::report(api::StreamStatusReport& report) const {
  report.taps = taps_ ? taps_->count() : 0;
  if (files_) {
    FileSources::Told told = files_->told();
    report.sources.not_found = std::move(told.not_found);
    report.sources.refused = std::move(told.refused);
    report.sources.lost_files = told.lost_files;
  }
  if (listed_) {
    std::ranges::copy(listed_->not_found(), std::back_inserter(report.sources.not_found));
    std::ranges::copy(listed_->refused(), std::back_inserter(report.sources.refused));
  }
}

}  // namespace flowtap
