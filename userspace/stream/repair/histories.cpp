#include "stream/repair/histories.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "stream/lines/cri_line.hpp"
#include "stream/lines/output_index.hpp"

namespace flowtap {
namespace {

constexpr std::size_t kHistoryPart = std::size_t{64} << 10U;
// An output that has said nothing in this much of the other one is known to be silent so far.
constexpr std::uint64_t kLookedAt = std::uint64_t{256} << 10U;
// Of a log with gaps one of them may be all that there is of an output.
constexpr std::uint64_t kLookedAtWithGaps = std::uint64_t{16} << 20U;

}  // namespace

Result<std::unique_ptr<Histories>> Histories::open(const std::string& host_root,
                                                   identity::StateDirectories where,
                                                   const identity::ContainerRuns* runs) {
  FTAP_TRY_ASSIGN(root, identity::RootDir::open(host_root));
  return std::unique_ptr<Histories>(new Histories(std::move(root), std::move(where), runs));
}

std::optional<identity::RuntimeFilePlace> Histories::find(const std::string& flow) const {
  const auto run = runs_ != nullptr ? runs_->span(flow) : RunSpan();
  if (!run) return std::nullopt;
  auto log = finder_.find(flow);
  if (log) log->run = *run;
  return log;
}

Result<std::unique_ptr<History>> Histories::open_log(const std::string& flow, SeamKeys keys) const {
  const auto log = find(flow);
  if (!log) return std::unexpected(Error{"the runtime has no file of " + flow, {}, ENOENT});
  FTAP_TRY_ASSIGN(files, open_files(*log));
  return std::make_unique<History>(std::move(files), runtime_format(*log), std::move(keys));
}

bool Histories::is_whole(const flow::FlowStore::Flow& flow, flow::LogPosition begin) const {
  const std::scoped_lock lock(mutex_);
  const auto at = whole_.find(flow.number);
  return at != whole_.end() && at->second == begin;
}

void Histories::note_whole(const flow::FlowStore::Flow& flow, flow::LogPosition begin) {
  const std::scoped_lock lock(mutex_);
  if (whole_.size() >= kMostNoted) whole_.clear();
  whole_.insert_or_assign(flow.number, begin);
}

std::optional<std::uint64_t> Histories::oldest(const flow::FlowStore::Flow& flow) const {
  const std::scoped_lock lock(mutex_);
  const auto noted = oldest_.find(flow.number);
  return noted == oldest_.end() ? std::nullopt : std::optional(noted->second);
}

void Histories::note_oldest(const flow::FlowStore::Flow& flow, std::uint64_t time) const {
  const std::scoped_lock lock(mutex_);
  if (oldest_.size() >= kMostNoted) oldest_.clear();
  oldest_.insert_or_assign(flow.number, time);
}

Result<SeamKeys> seam_keys(const flow::FlowStore& store, const flow::FlowStore::Flow& flow,
                           flow::LogPosition begin, flow::LogPosition end, std::uint64_t now) {
  std::array<SeamBeginning, 2> outputs;
  std::uint64_t last = now;
  std::string rest;
  const auto bounds = store.bounds(flow);
  const bool has_gaps = bounds && bounds->missing > 0;
  const flow::LogPosition to = std::min(end, begin + (has_gaps ? kLookedAtWithGaps : kLookedAt));
  flow::LogPosition at = begin;
  while (at < to && !(outputs[0].done && outputs[1].done)) {
    FTAP_TRY_ASSIGN(part, store.read(flow, at, std::min<std::size_t>(kHistoryPart, end - at)));
    if (part.text.empty() || part.from > at) break;
    rest += part.text;
    at = part.next;
    std::size_t from = 0;
    for (std::size_t newline = 0; (newline = rest.find('\n', from)) != std::string::npos;
         from = newline + 1) {
      const auto line = flow::parse_cri_line(std::string_view(rest).substr(from, newline - from));
      if (!line) continue;
      outputs.at(flow::output_index(line->output)).add(*line);
      last = line->time;
    }
    rest.erase(0, from);
    if (at >= end) last = now;
  }
  SeamKeys keys;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys.at(i) = std::move(outputs.at(i).key);
    keys.at(i).terminal = bounds && bounds->terminal;
    if (!keys.at(i).bytes.empty()) continue;
    keys.at(i).time = last;
    if (at < end) keys.at(i).missing_before = 0;  // nobody knows what comes behind it
  }
  return keys;
}

}  // namespace flowtap
