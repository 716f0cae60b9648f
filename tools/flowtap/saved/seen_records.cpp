#include "seen_records.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "stream/lines/klog/klog_pairs.hpp"

namespace flowtap::cli {
namespace {

constexpr std::uint64_t kLog = 0xffff;

std::uint64_t flat_hash(std::string_view text) {
  if (!text.contains("  ")) return std::hash<std::string_view>{}(text);
  std::string flat;
  for (const char c : text)
    if (c != ' ' || !flat.ends_with(' ')) flat += c;
  return std::hash<std::string_view>{}(flat);
}

// A page, a chat or awk has left one blank of several, of which most headers have some. Never 0 without its log's number.
std::uint64_t hash_of(std::string_view text) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  const std::size_t header = text.find("] ") + 1;  // npos + 1 is 0
  const std::uint64_t hash = flat_hash(text.substr(0, header)) * kOdd + flat_hash(text.substr(header));
  return (hash & ~kLog) | (std::uint64_t{1} << 63U);
}

// What klog itself has written: up to the last pair, or the first line. A terminal's blanks may stand behind it, and what follows in
// a mail, or another section of what a tool has gathered.
std::string_view written(const flow::WholeRecord& record) {
  std::string_view text = record.text;
  if (record.klog && record.klog->form == flow::KlogForm::kText) {
    const auto begin = static_cast<std::size_t>(record.klog->body.data() - record.text.data());
    std::size_t end = text.find('\n');
    if (record.klog->structured) {
      flow::KlogPairs pairs(*record.klog);
      for (flow::KlogPair pair; pairs.next(pair);) continue;
      end = std::max(end, text.find('\n', begin + pairs.at()));
    }
    text = text.substr(0, end);
  }
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

}  // namespace

std::string_view header_of(const flow::WholeRecord& record) {
  if (!record.klog || record.klog->form != flow::KlogForm::kText || record.klog->source.empty()) return {};
  return record.text.substr(0, static_cast<std::size_t>(record.klog->body.data() - record.text.data()));
}

std::optional<std::uint16_t> SeenRecords::add(const flow::WholeRecord& record, std::uint16_t log) {
  const std::uint64_t hash = hash_of(written(record));
  if (!slots_.empty())
    if (const std::uint64_t there = slots_[place_of(hash)]; there != 0) return there & kLog;
  if (used_ + 2 > kMost) {
    ++forgotten_;
    return std::nullopt;
  }
  put(hash, log);
  if (const std::string_view header = header_of(record); !header.empty() && header != record.text)
    put(hash_of(header), log);
  return std::nullopt;
}

bool SeenRecords::has_header_of(const flow::WholeRecord& record) const {
  const std::string_view header = header_of(record);
  return !header.empty() && !slots_.empty() && slots_[place_of(hash_of(header))] != 0;
}

std::size_t SeenRecords::place_of(std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = (hash >> 16U) & mask;
  while (slots_[at] != 0 && (slots_[at] & ~kLog) != hash) at = (at + 1) & mask;
  return at;
}

void SeenRecords::put(std::uint64_t hash, std::uint16_t log) {
  if (2 * (used_ + 1) > slots_.size()) {
    const auto before =
        std::exchange(slots_, std::vector<std::uint64_t>(slots_.empty() ? 1024 : 2 * slots_.size()));
    for (const std::uint64_t slot : before)
      if (slot != 0) slots_[place_of(slot & ~kLog)] = slot;
  }
  std::uint64_t& slot = slots_[place_of(hash)];
  if (slot == 0) ++used_;
  slot = hash | log;
}

}  // namespace flowtap::cli
