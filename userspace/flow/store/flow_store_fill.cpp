// Gaps that are filled while lines are added.
#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "flow/store/flow_store.hpp"

namespace flowtap::flow {

void FlowStore::when_gapped(std::function<void()> told) {
  const std::scoped_lock lock(mutex_);
  told_of_gap_ = std::move(told);
}

// What a derived flow lacks, if anything, stands nowhere alone.
void FlowStore::note_gaps(const Flow& flow) {
  if (!flow.derived && flow.log.missing() > 0 && gapped_.insert(flow.log.id()).second && told_of_gap_)
    told_of_gap_();
}

std::vector<std::string> FlowStore::take_gapped() {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> gapped(gapped_.begin(), gapped_.end());
  gapped_.clear();
  return gapped;
}

Result<std::uint64_t> FlowStore::fill(const Ref& flow, std::span<const GapFill> fills) {
  const std::scoped_lock lock(mutex_);
  if (flow->gone) return 0;
  FlowLog& log = flow->log;
  std::uint64_t grows = 0;
  for (const GapFill& fill : fills) grows += fill.text.size() - std::min(fill.text.size(), fill.gap.size());
  // Newer lines would have to make room for them.
  if (log.end() - log.base() + grows > options_.flow_bytes || file_bytes_ + grows > options_.store_bytes ||
      buffered_ + grows > options_.buffers_bytes)
    return std::unexpected(Error{"there is no room for what was missing of " + log.id(), {}, ENOSPC});
  FTAP_TRY_ASSIGN(filled, change(log, [&] { return log.fill(fills); }));
  if (filled == 0) return filled;
  changed_.push_back(flow);
  write_index();
  followers_.tell(std::array{flow->number});
  return filled;
}

std::size_t FlowStore::move(const Flow& flow, std::size_t edits, LogPosition& at,
                            std::uint64_t& lines) const {
  const std::scoped_lock lock(mutex_);
  flow.log.move(edits, at, lines);
  return flow.log.edits();
}

}  // namespace flowtap::flow
