#include "stream/repair/runtime_files/seam.hpp"

#include <algorithm>
#include <utility>

#include "stream/lines/line_assembler.hpp"
#include "stream/repair/runtime_files/kept_form.hpp"

namespace flowtap::flow {
namespace {

std::string without_carriage_returns(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') out += text[i];
  return out;
}

// How much of the first captured line a runtime may have kept before the last byte was there. Docker may have made it longer.
std::size_t most_amid(std::string_view key, RuntimeFormat format) {
  if (format == RuntimeFormat::kJsonFile) return kMaxLine * kReplacement.size();
  return key.empty() ? 0 : std::min(key.find('\n'), key.size() - 1);
}

}  // namespace

Seam::Seam(SeamKey key, RuntimeFormat format)
    : key_(std::move(key)),
      drops_(format == RuntimeFormat::kCri),
      replaces_(format == RuntimeFormat::kJsonFile && ascii_prefix(key_.bytes) != key_.bytes),
      most_amid_(most_amid(key_.bytes, format)) {
  if (drops_) key_.bytes = without_carriage_returns(key_.bytes);
}

void Seam::hold(const RuntimeLine& line) {
  // CRI-O's conmon keeps the "\r" that containerd drops. It is left out for comparing, and served.
  std::string_view text = line.text;
  if (drops_ && line.full && text.ends_with('\r')) text.remove_suffix(1);
  const std::size_t begin = text_.size();
  text_.append(text).append(line.full ? 1 : 0, '\n');
  held_.push_back({begin, text_.size(), line.time, line.output, line.full, std::string(line.text)});
}

RuntimeLine Seam::whole(const Held& held) const {
  return {held.time, held.output, held.full, held.text};
}

// The place that is nearest in time, as lines may all be the same.
std::size_t Seam::nearest() const {
  std::size_t nearest = std::string::npos;
  std::uint64_t least = 0;
  auto line = held_.begin();
  for (std::size_t at = text_.find(key_.bytes, searched_); at != std::string::npos;
       at = text_.find(key_.bytes, at + 1)) {
    while (line->end <= at) ++line;
    const std::uint64_t apart = line->time < key_.time ? key_.time - line->time : line->time - key_.time;
    if (nearest != std::string::npos && apart >= least) break;
    nearest = at;
    least = apart;
  }
  return nearest;
}

bool Seam::decide() {
  if (text_.size() - searched_ < key_.bytes.size()) return false;
  // A later line may bring a nearer place.
  if (key_.terminal && held_.back().time <= key_.time + kSlack && text_.size() < kMostHeld) return false;
  const std::size_t at = key_.terminal ? nearest() : text_.find(key_.bytes, searched_);
  if (at != std::string::npos) {
    cut_ = at;
    found_ = true;
    return true;
  }
  searched_ = text_.size() - key_.bytes.size() + 1;
  if (text_.size() < kMostHeld) return false;
  decide_by_time();
  return true;
}

// Where the key stands in a text that does not go on. A key that is shorter than it could be is all that was captured, so this
// text ends with it, however often it stands there.
std::size_t Seam::find_at_end() const {
  if (key_.terminal) return nearest();
  if (key_.bytes.size() >= SeamKey::kEnough) return text_.find(key_.bytes, searched_);
  const std::size_t last = text_.rfind(key_.bytes);
  return last == std::string::npos || last < searched_ ? std::string::npos : last;
}

// Where the key begins in a text that ends amid it.
std::size_t Seam::find_over_end() const {
  const std::string_view text = text_;
  std::size_t at = std::max(searched_, text.size() - std::min(text.size(), key_.bytes.size()));
  while (at < text.size() && !key_.bytes.starts_with(text.substr(at))) ++at;
  return at < text.size() ? at : std::string::npos;
}

// The first captured line is dated by its last byte. What was read earlier does not have that byte, so the line begins in the end of
// it or later.
void Seam::skip_early() {
  reaches_back_ = true;
  searched_ = std::max(searched_, text_.size() - std::min(text_.size(), most_amid_));
}

void Seam::forget(std::size_t bytes) {
  text_.erase(0, bytes);
  searched_ -= bytes;
  for (Held& held : held_) {
    held.begin -= bytes;
    held.end -= bytes;
  }
}

void Seam::decide_at_end() {
  if (key_.bytes.empty()) return;  // time alone decides then, and nothing is held
  std::size_t at = find_at_end();
  if (at == std::string::npos) at = find_over_end();
  found_ = at != std::string::npos;
  if (found_)
    cut_ = at;
  else if (reaches_back_ && !replaces_)
    cut_ = text_.size();
  else
    decide_by_time();
}

void Seam::decide_by_time() {
  cut_ = 0;
  for (const Held& held : held_)
    if (held.time < key_.time) cut_ = held.end;
}

}  // namespace flowtap::flow
