// Finds out whose output a stream is. The interface belongs to the journal; stream/sources binds identity to it.
#pragma once

#include <cstdint>
#include <string>

#include "kernel/records/record.hpp"
#include "kernel/records/stream_control.hpp"
#include "stream/journal/journal_entry.hpp"

namespace flowtap::flow {

enum class NamingState : std::uint8_t {
  kNamed,    ///< nothing better will be found out
  kPartial,  ///< what is known so far; there may be more a moment later
  kNotOurs,  ///< no container, and nothing that was asked for: its streams are let go
};

struct Naming {
  NamingState state = NamingState::kPartial;
  std::string flow;      ///< the flow's id; may be empty while kPartial
  std::string identity;  ///< JSON for those who list flows
  bool whole = true;     ///< its outputs that are not captured are listed, too
  unsigned known = 0;    ///< how much is known: the partial answer that knows more counts
  /// The part of `identity` that no other source tells, for a place with little room.
  std::string brief = "{}";
};

/// Used by the consumer's thread alone.
class Namer {
 public:
  Namer() = default;
  Namer(const Namer&) = delete;
  Namer& operator=(const Namer&) = delete;
  virtual ~Namer() = default;

  /// Does not wait. The consumer asks again for a while, and then takes what there is. If there is no flow's id by then, the
  /// streams are let go.
  [[nodiscard]] virtual Naming name(const Enter& enter) = 0;
  /// An earlier service has given a stream this name, and that is its slot. All such names are told before any is asked for.
  virtual void learn(const StreamName& /*name*/, const StreamSlot& /*slot*/) {}
};

}  // namespace flowtap::flow
