#include "stats/backends/spectatord.hpp"

#include <algorithm>

#include "stats/backends/sending/packing.hpp"

namespace flowtap::stats {
namespace {

// The limits of names and values, and the bytes that they may have, are in atlas-docs, spectator/agent/usage.
constexpr std::size_t kMaxMetricName = 255;
constexpr std::size_t kMaxValue = 120;
constexpr std::string_view kAlso = "-._";

/// spectatord forgets a meter that it has not heard of for 15 minutes, and would begin anew with it.
constexpr std::chrono::seconds kRepeat{60};

std::string_view type_of(SampleKind kind) {
  switch (kind) {
    case SampleKind::kCount:
      return "U:";
    case SampleKind::kNano:
      return "C:";
    case SampleKind::kGauge:
      break;
  }
  return "g,60:";
}

}  // namespace

std::string spectatord_head(const Sample& sample, std::string_view prefix) {
  std::string head(type_of(sample.kind));
  head += clean(std::string(prefix).append(sample.family->name).append(sample.suffix), kAlso, kMaxMetricName);
  for (std::size_t i = 0; i < sample.labels.size(); ++i) {
    head.append(",").append(label_key(sample.family->labels, i)).append("=");
    head += clean(sample.labels[i], kAlso, kMaxValue);
  }
  if (!sample.le.empty()) head.append(",le=").append(sample.le);
  return head + ':';
}

Spectatord::Spectatord(SpectatordOptions options, std::unique_ptr<Packets> packets)
    : options_(std::move(options)), packets_(std::move(packets)) {
  if (options_.base_file.empty()) return;
  if (auto read = read_base(options_.base_file)) {
    base_ = std::move(*read);
  } else {
    health_.last_error = read.error().what;
  }
}

void Spectatord::begin_at(const Snapshot& snapshot) {
  first_ = false;
  take(snapshot);
  for (Counter& counter : counters_) {
    // The values in the file already include this process' total. Without a file, the old backend sent the plain total.
    if (base_.contains(counter.head)) {
      counter.base -= counter.total;
    } else {
      counter.sent = counter.now();
    }
  }
}

Status Spectatord::publish(const SnapshotPtr& snapshot) {
  take(*snapshot);
  const Status persisted = persist();
  const bool delivered =
      deliver(snapshot->steady) || deliver(snapshot->steady);  // twice: see Packets::ready()
  health_.up = delivered;
  health_.pending = static_cast<std::uint64_t>(
      std::ranges::count_if(counters_, [](const Counter& c) { return c.now() != c.sent; }));
  if (!delivered) {
    health_.last_error = packets_->last_error().what;
    return std::unexpected(packets_->last_error());
  }
  // It is sent all the same: at worst, a restart now is like one without a base file.
  if (!persisted) health_.last_error = persisted.error().what;
  return {};
}

void Spectatord::take(const Snapshot& snapshot) {
  gauges_.clear();
  for (Counter& counter : counters_) {
    counter.seen = false;
    counter.fresh = 0;
  }
  for (const Series& series : snapshot.series)
    for_each_sample(series, [this](const Sample& sample) {
      if (sample.kind == SampleKind::kGauge) {
        gauges_.push_back(spectatord_head(sample, options_.prefix) + gauge_text(sample.gauge));
      } else {
        take_counter(sample);
      }
    });
  first_ = false;
  for (Counter& counter : counters_) {
    if (!counter.seen) continue;
    if (counter.fresh < counter.total)
      counter.base += counter.total;  // the source of the count has begun again
    counter.total = counter.fresh;
  }
}

void Spectatord::take_counter(const Sample& sample) {
  std::string head = spectatord_head(sample, options_.prefix);
  auto at = index_.find(head);
  if (at == index_.end()) {
    if (counters_.size() >= options_.max_pending) {
      ++health_.lost;
      return;
    }
    Counter& counter = counters_.emplace_back(head, sample.kind);
    if (const auto before = base_.find(head); before != base_.end()) counter.base = before->second;
    counter.sent = counter.base;
    at = index_.emplace(std::move(head), counters_.size() - 1).first;
  }
  Counter& counter = counters_[at->second];
  counter.seen = true;
  // Values are added up, since two label values that differ only in replaced bytes are one counter at the receiver.
  counter.fresh += sample.total;
  if (first_ && sample.began_before) counter.base -= sample.total;
}

/// Called before anything is sent, so that a value in the file is never less than the receiver's.
Status Spectatord::persist() {
  if (options_.base_file.empty()) return {};
  bool changed = false;
  for (const Counter& counter : counters_) {
    const auto [at, added] = base_.try_emplace(counter.head, 0);
    changed = changed || added || at->second != counter.now();
    at->second = counter.now();
  }
  return changed ? write_base(options_.base_file, base_) : Status{};
}

/// The value to send now, if any.
std::optional<std::uint64_t> Spectatord::due(Counter& counter, Instant now) const {
  if (!counter.seen) return std::nullopt;
  if (counter.generation != packets_->generation()) {
    counter.generation = packets_->generation();
    counter.held_since.reset();
  }
  // It is repeated while it is held, as the first one may get lost over UDP.
  if (!counter.held_since || now - *counter.held_since < options_.settle) return counter.sent;
  const bool fresh = counter.sent_at && now - *counter.sent_at < kRepeat;
  if (counter.now() == counter.sent && fresh) return std::nullopt;
  return counter.now();
}

bool Spectatord::deliver(Instant now) {
  return packets_->ready() && send_counters(now) && send_gauges();
}

bool Spectatord::send_counters(Instant now) {
  std::vector<std::uint64_t> values(counters_.size());
  PacketBatch batch(*packets_, [&](std::size_t i) {
    Counter& counter = counters_[i];
    counter.sent = values[i];
    counter.sent_at = now;
    if (!counter.held_since) counter.held_since = now;
  });
  const std::size_t start = cursor_ < counters_.size() ? cursor_ : 0;
  for (std::size_t n = 0; n < counters_.size(); ++n) {
    const std::size_t i = (start + n) % counters_.size();
    const auto value = due(counters_[i], now);
    if (!value) continue;
    values[i] = *value;
    const std::string number =
        counters_[i].kind == SampleKind::kCount ? std::to_string(*value) : nano_text(*value);
    if (!batch.add(counters_[i].head + number, i)) {
      cursor_ = batch.first_unsent();
      return false;
    }
  }
  if (batch.flush()) return true;
  cursor_ = batch.first_unsent();
  return false;
}

bool Spectatord::send_gauges() {
  PacketBatch batch(*packets_, [](std::size_t) {});
  for (std::size_t i = 0; i < gauges_.size(); ++i)
    if (gauges_[i].size() <= kMaxPacket && !batch.add(gauges_[i], i)) return false;
  return batch.flush();
}

}  // namespace flowtap::stats
