#include "daemon/stream/flows_service.hpp"

#include <chrono>

#include "daemon/stream/flow_list.hpp"
#include "daemon/stream/journal_flows.hpp"
#include "daemon/stream/log_reader.hpp"

namespace flowtap {
namespace {

std::uint64_t ns_of(std::chrono::system_clock::time_point time) {
  return static_cast<std::uint64_t>(std::chrono::nanoseconds(time.time_since_epoch()).count());
}

}  // namespace

std::vector<api::FlowStatus> FlowsService::flows(const api::FlowFilter& filter) const {
  std::vector<api::FlowStatus> all = list_flows(journal_, store_, filter);
  const std::uint64_t now = ns_of(std::chrono::system_clock::now());
  for (api::FlowStatus& flow : all) {
    // Of one that has no bytes it is not known since when it is there.
    const std::uint64_t first = flow.first ? ns_of(*flow.first) : 0;
    flow.suspect = suspicion_.covers(first, flow.open || !flow.last ? now : ns_of(*flow.last));
  }
  return all;
}

Result<std::unique_ptr<api::RawReader>> FlowsService::read(const std::string& id,
                                                           const api::ReadOptions& options) {
  return FlowReader::open(journal_, watch_, id, options);
}

Result<std::unique_ptr<api::RawReader>> FlowsService::log(const std::string& id,
                                                          const api::LogOptions& options) {
  return LogReader::open(store_, watch_, id, options);
}

Result<std::unique_ptr<api::RawReader>> FlowsService::tap(std::uint32_t pid,
                                                          const api::ReadOptions& options) {
  if (taps_ == nullptr)
    return fail("processes cannot be tapped here: the kernel does not tell what they write to",
                "flowtap status says what is missing");
  FTAP_TRY_ASSIGN(tap, taps_->open(pid, options.outputs));
  api::ReadOptions from_now = options;
  from_now.from_now = true;
  return FlowReader::open(journal_, watch_, std::move(tap.streams), from_now, std::move(tap.process),
                          tap.release);
}

}  // namespace flowtap
