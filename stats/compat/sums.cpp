#include "stats/compat/sums.hpp"

#include <set>

#include "stats/compat/rows.hpp"

namespace flowtap::stats::compat {
namespace {

/// A series that is away for this long has ended, and a later one of the same name has begun at 0. If it is away for
/// less, it may only not have been read.
constexpr std::chrono::minutes kAway{2};

}  // namespace

void Sums::take(const Snapshot& snapshot, const Surroundings& around) {
  ++round_;
  const auto table = rows();
  std::multimap<StatId, std::size_t> wanted;
  for (std::size_t i = 0; i < table.size(); ++i)
    if (is_sum(table[i].labels)) wanted.emplace(table[i].stat, i);
  std::set<StatId> read;
  for (const Series& series : snapshot.series) {
    const auto [begin, end] = wanted.equal_range(series.stat->id);
    if (begin == end) continue;
    read.insert(series.stat->id);
    for (auto at = begin; at != end; ++at)
      if (auto labels = labels_of(table[at->second].labels, series, around))
        take_part(at->second, series, {table[at->second].name, std::move(*labels)}, snapshot.steady);
  }
  for (auto at = parts_.begin(); at != parts_.end();) {
    Part& part = at->second;
    // If no series is there, none was read. That one is gone is only certain when others are there.
    if (!read.contains(table[at->first.first].stat)) part.seen = snapshot.steady;
    if (part.round == round_ || snapshot.steady - part.seen < kAway) {
      ++at;
      continue;
    }
    end(part);
    at = parts_.erase(at);
  }
}

void Sums::take_part(std::size_t row, const Series& series, Key of, Clock::time_point now) {
  const std::uint64_t value = millionths(series, rows()[row]);
  const auto [at, fresh] =
      parts_.try_emplace({row, std::vector<std::string>(series.labels.begin(), series.labels.end())});
  Part& part = at->second;
  if (fresh || part.of != of) {
    // Its labels have changed, like those of a pod that is created again: the old sum keeps what it had, and the new
    // one gets what came since.
    const std::uint64_t before = !fresh && value >= part.last ? part.last : 0;
    if (!fresh) end(part);
    part.of = std::move(of);
    Sum& sum = sums_[part.of];
    ++sum.parts;
    sum.ended -= before;
  } else if (value < part.last) {
    sums_[part.of].ended += part.last;  // this is another series of that name
  }
  part.last = value;
  part.seen = now;
  part.round = round_;
}

void Sums::leave(const Part& part) {
  const auto sum = sums_.find(part.of);
  if (--sum->second.parts == 0) sums_.erase(sum);
}

void Sums::end(const Part& part) {
  sums_[part.of].ended += part.last;
  leave(part);
}

SumsByLabels Sums::ended() const {
  SumsByLabels all;
  for (const auto& [of, sum] : sums_)
    if (sum.ended != 0) all.emplace(of, sum.ended);
  for (const auto& [key, part] : parts_)
    if (part.round != round_) all[part.of] += part.last;
  return all;
}

}  // namespace flowtap::stats::compat
