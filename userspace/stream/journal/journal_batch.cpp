#include "stream/journal/journal_batch.hpp"

#include <algorithm>

namespace flowtap::flow {

void Batch::note(StreamNo stream) {
  if (stream == latest_) return;
  latest_ = stream;
  if (seen_.insert(stream).second) streams_.push_back(stream);
}

void Batch::add(const BytesEntry& entry) {
  if (entry.stream == 0) return;
  note(entry.stream);
  BytesEntry part = entry;
  for (std::size_t done = 0; done < entry.bytes.size(); done += part.bytes.size()) {
    part.offset = entry.offset + done;
    if (entry.position != 0) part.position = entry.position + done;
    part.bytes = entry.bytes.subspan(done, std::min(kMaxEntry, entry.bytes.size() - done));
    put(entries_, part);
  }
}

void Batch::add(const EndEntry& entry) {
  if (entry.stream == 0) return;
  note(entry.stream);
  put(entries_, entry);
}

void Batch::add(const MissedEntry& entry) {
  if (entry.stream == 0) return;
  note(entry.stream);
  put(entries_, entry);
}

void Batch::add(const StateEntry& entry) {
  if (entry.stream == 0) return;
  note(entry.stream);
  put(entries_, entry);
}

void Batch::add(const StreamEntry& entry) {
  if (entry.stream == 0) return;
  note(entry.stream);
  put(entries_, entry);
  named_.push_back(entry);
}

void Batch::set_position(std::string_view ring_id, RingPosition position) {
  position_ = PositionEntry{ring_hash(ring_id), position};
}

void Batch::clear() {
  entries_.clear();
  position_.reset();
  streams_.clear();
  named_.clear();
  seen_.clear();
  latest_ = 0;
}

}  // namespace flowtap::flow
