// The least consumer: drain, append, commit. A kill between two of the three must do no harm.
#pragma once

#include "kernel/records/record.hpp"
#include "kernel/records/record_source.hpp"
#include "stream/journal/journal.hpp"

namespace flowtap::flow {

/// For use after a start: what the journal already has is not asked for again.
inline void skip_what_is_safe(RecordSource& source, const Journal& journal) {
  if (const auto safe = journal.position_of(source.ring_id())) source.commit(*safe);
}

/// Drains once into `batch`. False: there was nothing.
inline bool drain_into(Batch& batch, RecordSource& source, std::size_t limit) {
  batch.clear();
  bool any = false;
  const auto end = source.drain(limit, [&](std::span<const std::byte> raw) {
    any = true;
    const Record record = parse_record(raw).value();
    if (const auto* bytes = std::get_if<Bytes>(&record.what))
      batch.add(BytesEntry{bytes->stream, bytes->offset, record.time, bytes->position, bytes->bytes});
    else if (const auto* done = std::get_if<End>(&record.what))
      batch.add(EndEntry{done->stream, done->passed, record.time, done->lost});
  });
  batch.set_position(source.ring_id(), end.value());
  return any;
}

/// Takes everything there is. What cannot be written is freed all the same, as the service does it.
inline void consume(RecordSource& source, Journal& journal, std::size_t limit) {
  Batch batch;
  while (drain_into(batch, source, limit)) {
    static_cast<void>(journal.append(batch));
    source.commit(batch.position()->position);
  }
}

}  // namespace flowtap::flow
