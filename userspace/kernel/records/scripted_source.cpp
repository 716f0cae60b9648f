#include "kernel/records/scripted_source.hpp"

namespace flowtap::flow {
namespace {

constexpr std::size_t kRingHeader = 8;  // BPF_RINGBUF_HDR_SZ; records begin at multiples of it

}  // namespace

void ScriptedSource::push(const Record& record) {
  std::vector<std::byte> raw;
  render_record(record, raw);
  push_raw(std::move(raw));
}

void ScriptedSource::push_raw(std::vector<std::byte> raw) {
  const std::scoped_lock lock(mutex_);
  head_ += (kRingHeader + raw.size() + kRingHeader - 1) / kRingHeader * kRingHeader;
  items_.push_back({head_, std::move(raw)});
  if (!busy_) visible_ = head_;
  changed_.notify_all();
}

void ScriptedSource::set_busy(bool busy) {
  const std::scoped_lock lock(mutex_);
  busy_ = busy;
  if (!busy_) visible_ = head_;
  changed_.notify_all();
}

void ScriptedSource::end() {
  const std::scoped_lock lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

Result<RingPosition> ScriptedSource::drain(std::size_t limit,
                                           const std::function<void(std::span<const std::byte>)>& take) {
  // The records stay where they are while `take` runs: only commit() removes some, and that is this thread's.
  std::vector<const Item*> now;
  {
    const std::scoped_lock lock(mutex_);
    std::size_t bytes = 0;
    for (const Item& item : items_) {
      if (item.end > visible_ || (bytes >= limit && !now.empty())) break;
      bytes += item.raw.size();
      now.push_back(&item);
    }
  }
  for (const Item* item : now) take(item->raw);
  return now.empty() ? position() : now.back()->end;
}

Result<RingPosition> ScriptedSource::look_ahead(
    RingPosition from, const std::function<void(std::span<const std::byte>)>& take) const {
  std::vector<const Item*> now;
  {
    const std::scoped_lock lock(mutex_);
    for (const Item& item : items_)
      if (item.end > from && item.end <= visible_) now.push_back(&item);
  }
  for (const Item* item : now) take(item->raw);
  return now.empty() ? from : now.back()->end;
}

RingPosition ScriptedSource::position() const {
  const std::scoped_lock lock(mutex_);
  return position_;
}

RingPosition ScriptedSource::head() const {
  const std::scoped_lock lock(mutex_);
  return head_;
}

void ScriptedSource::commit(RingPosition position) {
  const std::scoped_lock lock(mutex_);
  if (position <= position_) return;
  // A position inside a record would lose the rest of it, so the record stays whole.
  while (!items_.empty() && items_.front().end <= position) {
    position_ = items_.front().end;
    items_.pop_front();
  }
}

bool ScriptedSource::wait(std::chrono::milliseconds longest) {
  std::unique_lock lock(mutex_);
  patience_ = longest;
  const auto something = [this] { return interrupted_ || ended_ || visible_ > position_; };
  changed_.wait_for(lock, longest, something);
  interrupted_ = false;
  return !(ended_ && items_.empty());
}

void ScriptedSource::interrupt() {
  const std::scoped_lock lock(mutex_);
  interrupted_ = true;
  changed_.notify_all();
}

std::chrono::milliseconds ScriptedSource::patience() const {
  const std::scoped_lock lock(mutex_);
  return patience_;
}

std::size_t ScriptedSource::held() const {
  const std::scoped_lock lock(mutex_);
  return items_.size();
}

}  // namespace flowtap::flow
