#include "stream/repair/runtime_files/seam.hpp"

#include <algorithm>
#include <utility>

#include "stream/lines/line_assembler.hpp"
#include "stream/repair/runtime_files/kept_form.hpp"

namespace flowtap::flow {
namespace {

// containerd drops one "\r" before each newline. CRI-O's conmon keeps each byte in files of the same format.
std::vector<std::string> forms_of(const std::string& key, RuntimeFormat format) {
  std::vector<std::string> forms{key};
  std::string kept = as_containerd_keeps(key);
  if (format == RuntimeFormat::kCri && !kept.empty() && kept != key) forms.push_back(std::move(kept));
  return forms;
}

// How much of the first captured line a runtime may have kept before the last byte was there. Docker may have made it longer.
std::size_t most_amid(std::string_view key, RuntimeFormat format) {
  if (format == RuntimeFormat::kJsonFile) return kMaxLine * kReplacement.size();
  return key.empty() ? 0 : std::min(key.find('\n'), key.size() - 1);
}

}  // namespace

Seam::Seam(SeamKey key, RuntimeFormat format)
    : key_(std::move(key)),
      forms_(forms_of(key_.bytes, format)),
      replaces_(format == RuntimeFormat::kJsonFile && ascii_prefix(key_.bytes) != key_.bytes),
      most_amid_(most_amid(key_.bytes, format)) {}

void Seam::hold(const RuntimeLine& line) {
  const std::size_t begin = text_.size();
  append_bytes(text_, line);
  held_.push_back({begin, text_.size(), line.time, line.output, line.full});
}

RuntimeLine Seam::whole(const Held& held) const {
  const std::size_t size = held.end - held.begin - (held.full ? 1 : 0);
  return {held.time, held.output, held.full, std::string_view(text_).substr(held.begin, size)};
}

std::size_t Seam::find_key(std::size_t from) const {
  std::size_t first = std::string::npos;
  for (const std::string& form : forms_) first = std::min(first, text_.find(form, from));
  return first;
}

// The place that is nearest in time, as lines may all be the same.
std::size_t Seam::nearest() const {
  std::size_t nearest = std::string::npos;
  std::uint64_t least = 0;
  auto line = held_.begin();
  for (std::size_t at = find_key(searched_); at != std::string::npos; at = find_key(at + 1)) {
    while (line->end <= at) ++line;
    const std::uint64_t apart = line->time < key_.time ? key_.time - line->time : line->time - key_.time;
    if (nearest != std::string::npos && apart >= least) break;
    nearest = at;
    least = apart;
  }
  return nearest;
}

bool Seam::decide() {
  if (text_.size() - searched_ < forms_.back().size()) return false;
  // A later line may bring a nearer place.
  if (key_.terminal && held_.back().time <= key_.time + kSlack && text_.size() < kMostHeld) return false;
  const std::size_t at = key_.terminal ? nearest() : find_key(searched_);
  if (at != std::string::npos) {
    cut_ = at;
    found_ = true;
    return true;
  }
  const std::size_t longest = forms_.front().size();
  searched_ = std::max(searched_, text_.size() + 1 - std::min(text_.size() + 1, longest));
  if (text_.size() < kMostHeld) return false;
  decide_by_time();
  return true;
}

// Where the key stands in a text that does not go on. A key that is shorter than it could be is all that was captured, so this
// text ends with it, however often it stands there.
std::size_t Seam::find_at_end() const {
  if (key_.terminal) return nearest();
  if (key_.bytes.size() >= SeamKey::kEnough) return find_key(searched_);
  std::size_t last = std::string::npos;
  for (const std::string& form : forms_)
    if (const std::size_t at = text_.rfind(form); at != std::string::npos && at >= searched_)
      last = last == std::string::npos ? at : std::max(last, at);
  return last;
}

// Where the key begins in a text that ends amid it.
std::size_t Seam::find_over_end() const {
  const std::string_view text = text_;
  std::size_t first = std::string::npos;
  for (const std::string& form : forms_) {
    std::size_t at = std::max(searched_, text.size() - std::min(text.size(), form.size()));
    while (at < text.size() && !form.starts_with(text.substr(at))) ++at;
    if (at < text.size()) first = std::min(first, at);
  }
  return first;
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
