#include "stats/backends/json_lines.hpp"

#include <fmt/format.h>

#include "stats/backends/json_text.hpp"
#include "stats/backends/sample.hpp"

namespace flowtap::stats {
namespace {

constexpr std::uint64_t kKeepAbsentLines = 600;  // lines

/// A total minus the part that was sent before. A total that went back has begun again at 0.
std::uint64_t grown(std::uint64_t now, std::uint64_t before) {
  return now >= before ? now - before : now;
}

void append_histogram(std::string& out, const HistogramValue& now, const HistogramValue& before,
                      const Stat& stat) {
  std::uint64_t count = 0;
  std::string buckets;
  for (std::size_t i = 0; i < FTAP_HIST_BUCKETS; ++i) {
    count += grown(now.counts.at(i), before.counts.at(i));
    if (!has_edge(stat, i)) continue;
    buckets.append(buckets.empty() ? "\"" : ",\"")
        .append(edge_text(i, stat.widened))
        .append("\":")
        .append(std::to_string(count));
  }
  count += grown(now.counts.back(), before.counts.back());
  out.append("{\"count\":").append(std::to_string(count)).append(",\"sum\":");
  out.append(nano_text(grown(nanos(now.sum), nanos(before.sum))));
  out.append(",\"buckets\":{").append(buckets).append("}}");
}

/// The total of a series minus the one in `before`; as a difference from nothing, the total itself.
void append_total(std::string& out, const Series& series, const Value& before) {
  const Value& now = series.value;
  if (const auto* histogram = histogram_in(now)) {
    const auto* then = histogram_in(before);
    append_histogram(out, *histogram, then != nullptr ? *then : HistogramValue{}, *series.stat);
  } else if (const auto* count = std::get_if<std::uint64_t>(&now)) {
    const auto* then = std::get_if<std::uint64_t>(&before);
    out += std::to_string(grown(*count, then != nullptr ? *then : 0));
  } else {
    const auto* then = std::get_if<double>(&before);
    out += nano_text(grown(nanos(std::get<double>(now)), then != nullptr ? nanos(*then) : 0));
  }
}

void append_labels(std::string& out, const Series& series) {
  const auto keys = family(series.stat->family).labels;
  out += "\"labels\":{";
  for (std::size_t i = 0; i < series.labels.size(); ++i) {
    if (i > 0) out += ',';
    append_json_string(out, label_key(keys, i));
    out += ':';
    append_json_string(out, series.labels[i]);
  }
  out += '}';
}

bool is_number(const Value& value) {
  const auto* real = std::get_if<double>(&value);
  return real == nullptr || std::isfinite(*real);
}

}  // namespace

JsonLines::JsonLines(Address address, LineStreamOptions options) : stream_(std::move(address), options) {
  // Two streams never begin in the same nanosecond, since the old one ends first.
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  stream_id_ = fmt::format("{:016x}", std::chrono::nanoseconds(now).count());
}

void JsonLines::begin_at(const Snapshot& snapshot) {
  for (const Series& series : snapshot.series) told(series).total = series.value;
  since_ = snapshot.time;
}

Status JsonLines::publish(const SnapshotPtr& snapshot) {
  const bool told = snapshot->cycle == cycle_;
  const bool first_offer = snapshot->cycle != seen_;
  seen_ = snapshot->cycle;
  // The size of a line is known only when it is written. The size of the last one is the best guess, so the bound is
  // not exact.
  if (!told && !stream_.has_room(line_.size())) {
    [[maybe_unused]] const Status made_room = stream_.pump();  // perhaps; the next pump() says why not
  }
  if (!told && stream_.has_room(line_.size())) {
    append(*snapshot);
  } else if (!told && first_offer) {
    ++health_.lost;  // it gets no line of its own; its counts are in the deltas of the next one
  }
  Status sent = stream_.pump();
  if (sent && snapshot->cycle != cycle_) sent = fail("the receiver has not read the lines that it was sent");
  health_.up = sent.has_value();
  health_.pending = stream_.unsent();
  if (!sent) health_.last_error = sent.error().what;
  return sent;
}

JsonLines::Told& JsonLines::told(const Series& series) {
  key_ = family(series.stat->family).name;
  for (const std::string& label : series.labels) key_.append(1, '\0').append(label);
  return told_[key_];
}

void JsonLines::append(const Snapshot& snapshot) {
  if (since_ < snapshot.start) since_ = snapshot.start;
  line_ = "{\"stream\":\"" + stream_id_ + "\",\"seq\":" + std::to_string(++seq_) +
          ",\"cycle\":" + std::to_string(snapshot.cycle);
  line_.append(",\"time\":\"")
      .append(rfc3339(snapshot.time))
      .append("\",\"since\":\"")
      .append(rfc3339(since_));
  line_.append("\",\"start\":\"").append(rfc3339(snapshot.start)).append("\",\"series\":[");
  bool first = true;
  for (const Series& series : snapshot.series) {
    if (!is_number(series.value)) continue;
    if (!first) line_ += ',';
    first = false;
    write_series(series);
  }
  line_ += "]}\n";
  cycle_ = snapshot.cycle;
  since_ = snapshot.time;
  stream_.push(line_);
  forget_absent(snapshot.series.size());
}

/// Label values that come and go must not fill the memory; see Statsd::forget_absent().
void JsonLines::forget_absent(std::size_t live) {
  if (told_.size() < 2 * live + 1024) return;
  std::erase_if(told_, [this](const auto& entry) { return entry.second.seq + kKeepAbsentLines < seq_; });
}

void JsonLines::write_series(const Series& series) {
  const auto name = family(series.stat->family).name;
  line_.append("{\"name\":\"").append(name).append("\",");
  append_labels(line_, series);
  line_.append(",\"kind\":\"").append(kind_name(series.stat->kind)).append("\"");
  if (series.stat->kind == Kind::kGauge) {
    const auto* count = std::get_if<std::uint64_t>(&series.value);
    line_.append(",\"value\":");
    line_ += count != nullptr ? std::to_string(*count) : gauge_text(std::get<double>(series.value));
  } else {
    Told& before = told(series);
    line_.append(",\"total\":");
    append_total(line_, series, Value{});
    line_.append(",\"delta\":");
    append_total(line_, series, before.total);
    before = {series.value, seq_};
  }
  line_ += '}';
}

}  // namespace flowtap::stats
