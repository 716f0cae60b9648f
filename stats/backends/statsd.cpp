#include "stats/backends/statsd.hpp"

#include <algorithm>

#include "stats/backends/sending/packing.hpp"

namespace flowtap::stats {
namespace {

constexpr std::size_t kMaxPart = 200;             // bytes of a label value; Datadog's own limit for a tag
constexpr std::uint64_t kKeepAbsentCycles = 600;  // cycles

}  // namespace

StatsdFormat statsd_format(const Sample& sample, const StatsdOptions& options) {
  StatsdFormat format{options.prefix, sample.kind == SampleKind::kGauge ? "|g" : "|c"};
  format.head.append(sample.family->name).append(sample.suffix);
  for (std::size_t i = 0; i < sample.labels.size(); ++i) {
    if (options.tags) {
      format.tail.append(i == 0 ? "|#" : ",").append(label_key(sample.family->labels, i)).append(":");
      format.tail.append(clean(sample.labels[i], "_-:./", kMaxPart));
    } else {
      format.head.append(".").append(clean(sample.labels[i], "_-", kMaxPart));
    }
  }
  if (!sample.le.empty() && options.tags) {
    format.tail.append(sample.labels.empty() ? "|#le:" : ",le:").append(sample.le);
  } else if (!sample.le.empty()) {
    format.head.append(".le_").append(clean(sample.le, "", kMaxPart));
  }
  format.head += ':';
  return format;
}

Statsd::Statsd(StatsdOptions options, std::unique_ptr<Packets> packets)
    : options_(std::move(options)), packets_(std::move(packets)) {
  if (!options_.prefix.empty()) options_.prefix = clean(options_.prefix, "_-.", kMaxPart);
}

void Statsd::begin_at(const Snapshot& snapshot) {
  take(snapshot);
  for (Line& line : lines_) line.sent = line.total;
}

Status Statsd::publish(const SnapshotPtr& snapshot) {
  ++round_;
  take(*snapshot);
  const bool delivered = deliver() || deliver();  // twice: see Packets::ready()
  if (!delivered) give_up_beyond_bound();
  health_.up = delivered;
  health_.pending = static_cast<std::uint64_t>(std::ranges::count_if(
      lines_, [](const Line& line) { return line.kind != SampleKind::kGauge && line.total != line.sent; }));
  if (!delivered) health_.last_error = packets_->last_error().what;
  if (!delivered) return std::unexpected(packets_->last_error());
  return {};
}

BackendHealth Statsd::health() const {
  return health_;
}

void Statsd::take(const Snapshot& snapshot) {
  // A gauge that the last cycle could not send is old by now, and a counter's part is in the new total.
  for (Line& line : lines_)
    if (line.kind == SampleKind::kGauge) line.due = false;
  for (const Series& series : snapshot.series)
    for_each_sample(series, [this](const Sample& sample) { take(sample); });
  forget_absent();
}

void Statsd::take(const Sample& sample) {
  Line& line = line_of(sample);
  line.seen = round_;
  line.total = sample.total;
  line.gauge = sample.gauge;
  if (line.total < line.sent) line.sent = 0;  // the source of the count has begun again
  line.due = line.kind == SampleKind::kGauge || line.total != line.sent;
}

Statsd::Line& Statsd::line_of(const Sample& sample) {
  key_.assign(sample.family->name).append(sample.suffix).append(sample.le);
  for (const std::string& label : sample.labels) key_.append(1, '\0').append(label);
  const auto [at, added] = index_.try_emplace(key_, lines_.size());
  if (added) {
    auto [head, tail] = statsd_format(sample, options_);
    lines_.push_back(Line{std::move(head), std::move(tail), sample.kind});
    if (sample.began_before && round_ <= 1) lines_.back().sent = sample.total;
  }
  return lines_[at->second];
}

/// Label values that come and go must not fill the memory. A line that was absent for ten minutes' worth of cycles is
/// forgotten once such lines are the majority; if it returns, its total counts as new.
void Statsd::forget_absent() {
  const auto live = static_cast<std::size_t>(
      std::ranges::count_if(lines_, [this](const Line& line) { return line.seen == round_; }));
  if (lines_.size() < 2 * live + 1024) return;
  std::vector<Line> kept;
  std::vector<std::size_t> moved(lines_.size());
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const bool drop = lines_[i].seen + kKeepAbsentCycles < round_ && !lines_[i].due;
    moved[i] = drop ? lines_.size() : kept.size();
    if (!drop) kept.push_back(std::move(lines_[i]));
  }
  std::erase_if(index_, [&](const auto& entry) { return moved[entry.second] == lines_.size(); });
  for (auto& [key, position] : index_) position = moved[position];
  lines_ = std::move(kept);
  cursor_ = 0;
}

bool Statsd::deliver() {
  return packets_->ready() && flush();
}

/// Sends the lines that are due. The first packet that is not taken ends the cycle, and the next cycle goes on from
/// there, so that no line is always the last.
bool Statsd::flush() {
  PacketBatch batch(*packets_, [this](std::size_t i) {
    lines_[i].sent = lines_[i].total;
    lines_[i].due = false;
  });
  const std::size_t start = cursor_ < lines_.size() ? cursor_ : 0;
  bool taken = true;
  for (std::size_t n = 0; taken && n < lines_.size(); ++n) {
    const std::size_t i = (start + n) % lines_.size();
    Line& line = lines_[i];
    if (!line.due) continue;
    const std::string text = text_of(line);
    if (text.size() <= kMaxPacket) {
      taken = batch.add(text, i);
    } else {  // the line is too long for any packet
      line.sent = line.total;
      line.due = false;
      ++health_.lost;
    }
  }
  taken = taken && batch.flush();
  if (!taken) cursor_ = batch.first_unsent();
  return taken;
}

std::string Statsd::text_of(const Line& line) const {
  if (line.kind != SampleKind::kGauge) {
    const std::uint64_t delta = line.total - line.sent;
    return line.head + (line.kind == SampleKind::kCount ? std::to_string(delta) : nano_text(delta)) +
           line.tail;
  }
  const std::string text = line.head + gauge_text(line.gauge) + line.tail;
  // Plain StatsD takes "-5" as "5 less". Both lines travel in one packet, so that no flush sees the 0 alone.
  return line.gauge < 0 && !options_.tags ? line.head + "0" + line.tail + '\n' + text : text;
}

/// Numbers that wait beyond the bound are given up and counted. Those that have waited longer keep their place, as they
/// come first in lines_.
void Statsd::give_up_beyond_bound() {
  std::size_t waiting = 0;
  for (Line& line : lines_) {
    if (line.kind == SampleKind::kGauge || line.total == line.sent || ++waiting <= options_.max_pending)
      continue;
    line.sent = line.total;
    line.due = false;
    ++health_.lost;
  }
}

}  // namespace flowtap::stats
