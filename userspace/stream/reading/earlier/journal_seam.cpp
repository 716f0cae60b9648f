#include "stream/reading/earlier/journal_seam.hpp"

#include <algorithm>

#include "stream/repair/histories.hpp"

namespace flowtap {
namespace {

// How much is looked at until each output has begun.
constexpr std::size_t kSeamSlice = std::size_t{64} << 10U;
constexpr int kMostSeamSlices = 16;

}  // namespace

std::optional<JournalSeam> JournalSeam::find(const flow::Journal& journal, const std::string& flow,
                                             const flow::FlowStore::Standing& standing) {
  const flow::FlowStore::Bounds& bounds = standing.bounds;
  JournalLines lines(journal, flow, standing.streams);
  const JournalLines::Reach& reach = lines.reach();
  const auto begins = lines.begins();
  const bool reaches_back = reach.first && reach.bytes > bounds.bytes - bounds.made_room;
  if (!reaches_back || !begins || !reach.is_without_gaps() || reach.all() != bounds.bytes || bounds.terminal)
    return std::nullopt;
  JournalSeam seam;
  seam.begins_ = *begins;
  std::array<SeamBeginning, 2> outputs;
  for (std::size_t output = 0; output < outputs.size(); ++output)
    outputs.at(output).done = begins->at(output) >= reach.ends.at(output);
  const auto all_done = [&outputs] { return outputs[0].done && outputs[1].done; };
  bool more = true;
  for (int slices = 0; more && !all_done() && slices < kMostSeamSlices; ++slices)
    more = lines.read(kSeamSlice, [&outputs](const flow::CriLine& line) {
      outputs.at(flow::output_index(line.output)).add(line);
    });
  for (std::size_t output = 0; output < outputs.size(); ++output) {
    const bool has_none = begins->at(output) >= reach.ends.at(output);
    seam.keys_.at(output) = std::move(outputs.at(output).key);
    if (has_none) seam.keys_.at(output).time = ~std::uint64_t{0};
    if (!has_none && seam.keys_.at(output).bytes.empty()) return std::nullopt;
  }
  return seam;
}

bool JournalSeam::step(History& history, std::size_t budget) {
  if (history.read(budget, [this](const flow::RuntimeLine& line) {
        before_.at(flow::output_index(line.output)) += line.text.size() + (line.full ? 1 : 0);
      }))
    return false;
  found_ = history.reaches_seam();
  return true;
}

std::optional<OfOutputs> JournalSeam::reached(const std::array<HistoryRead, 2>& read) const {
  OfOutputs reached{};
  for (std::size_t output = 0; output < reached.size(); ++output) {
    const HistoryRead& of = read.at(output);
    if (of.replaced) return std::nullopt;
    if (found_.at(output)) {
      if (of.bytes < before_.at(output)) return std::nullopt;
      reached.at(output) = begins_.at(output) + of.bytes - before_.at(output);
      continue;
    }
    // The file has ended before the journal begins.
    if (of.last >= keys_.at(output).time) return std::nullopt;
    reached.at(output) = std::min(begins_.at(output), of.captured);
  }
  return reached;
}

}  // namespace flowtap
