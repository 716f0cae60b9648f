#include "stream/repair/runtime_files/seam.hpp"

#include <algorithm>
#include <utility>

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

}  // namespace

Seam::Seam(SeamKey key, RuntimeFormat format)
    : key_(std::move(key)),
      drops_(format == RuntimeFormat::kCri),
      replaces_(format == RuntimeFormat::kJsonFile && ascii_prefix(key_.bytes) != key_.bytes) {
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

// The held text may end amid the key.
void Seam::decide_at_end() {
  if (key_.bytes.empty()) return;  // time alone decides then, and nothing is held
  if (const std::size_t at = key_.terminal ? nearest() : std::string::npos; at != std::string::npos) {
    cut_ = at;
    found_ = true;
    return;
  }
  for (std::size_t at = searched_; at < text_.size(); ++at) {
    at = text_.find(key_.bytes.front(), at);
    if (at == std::string::npos) break;
    if (!std::string_view(key_.bytes).starts_with(std::string_view(text_).substr(at))) continue;
    cut_ = at;
    found_ = true;
    return;
  }
  if (reaches_back_ && !replaces_)
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
