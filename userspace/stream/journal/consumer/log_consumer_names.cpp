// The half of the consumer that finds out whose the streams are, and writes their names into the journal.
#include <algorithm>

#include "stream/journal/consumer/log_consumer.hpp"

namespace flowtap::flow {
namespace {

const char* output_name(std::uint32_t fds) {
  switch (fds) {
    case FTAP_STDOUT:
      return "stdout";
    case FTAP_STDERR:
      return "stderr";
    default:
      return "both";
  }
}

}  // namespace

// What an output is connected to belongs to the container that had it first. A container that was started inside that one may
// have inherited it.
LogConsumer::Nameless LogConsumer::nameless(Enter enter, Clock::time_point now, bool ran_before) {
  Nameless who{.enter = std::move(enter),
               .until = now + options_.patience,
               .again = now,
               .ran_before = ran_before,
               .entered = !ran_before};
  for (std::size_t i = 0; i < who.enter.outputs.size(); ++i) {
    StreamNo& stream = who.enter.outputs.at(i).stream;
    if (stream == 0) {
      who.captures.at(i) = Capture::kNot;
    } else if (owners_.try_emplace(stream, who.enter.cgroup).first->second != who.enter.cgroup) {
      who.captures.at(i) = Capture::kElsewhere;
      stream = 0;
    } else if (ran_before) {
      // An earlier service has named it, and may have known more.
      const auto known = journal_.stream(stream);
      if (known && known->name) stream = 0;
    } else {
      who.named_before = who.named_before || named_at_start_.contains(stream);
    }
  }
  return who;
}

void LogConsumer::learn_owners(const std::vector<StreamSlot>& slots) {
  for (const StreamSlot& slot : slots) {
    if (slot.cgroup != 0) owners_.try_emplace(slot.stream, slot.cgroup);
    if (slot.fds != 0) outputs_[slot.stream] = slot.fds;
  }
}

void LogConsumer::add_names(Nameless& who, const Naming& naming) {
  who.named = true;
  auto& [out, err] = who.enter.outputs;
  const bool one_place =
      out.stream == err.stream && out.device == err.device && out.inode == err.inode && out.kind == err.kind;
  add_name(who, 0, one_place ? FTAP_STDOUT | FTAP_STDERR : FTAP_STDOUT, naming);
  if (one_place)
    err.stream = out.stream;
  else
    add_name(who, 1, FTAP_STDERR, naming);
}

void LogConsumer::add_name(Nameless& who, std::size_t output, std::uint32_t fds, const Naming& naming) {
  Enter::Output& place = who.enter.outputs.at(output);
  const Capture capture = who.captures.at(output);
  const bool fresh = place.stream == 0 && capture != Capture::kTaken;
  if (fresh) {
    // A listed process shows only files as uncaptured: all else that the programs left out is captured under another name, or is
    // nothing.
    if (who.enter.rule != FTAP_RULE_CONTAINER && place.kind != FTAP_KIND_FILE) return;
    if (!naming.whole || (who.ran_before && is_listed(naming.flow, output_name(fds)))) return;
    place.stream = streams_.take_number();
  }
  if (place.stream == 0) return;
  // A process that was found running may have redirected its outputs since the programs saw it begin.
  if (const auto seen = outputs_.find(place.stream); who.ran_before && seen != outputs_.end())
    fds = seen->second;
  const StreamEntry entry{place.stream,
                          {.flow = naming.flow,
                           .output = output_name(fds),
                           .identity = naming.identity,
                           .inode = place.inode,
                           .device = place.device,
                           .kind = place.kind,
                           .capture = capture}};
  batch_.add(entry);
  if (fresh)
    batch_.add(EndEntry{place.stream, 0, 0, {}});  // no byte of it can come
  else if (capture == Capture::kTaken)
    keep_name(entry, naming.brief);
}

bool LogConsumer::is_listed(const std::string& flow, const std::string& output) const {
  return std::ranges::any_of(journal_.streams(), [&](const StreamView& stream) {
    return stream.name && stream.name->capture != Capture::kTaken && stream.name->flow == flow &&
           stream.name->output == output;
  });
}

// A stream that somebody else has named since it was seen without a name is not let go.
void LogConsumer::let_go(const Nameless& who) {
  for (std::size_t i = 0; i < who.captures.size(); ++i) {
    const StreamNo stream = who.enter.outputs.at(i).stream;
    const auto known = who.best.flow.empty() ? journal_.stream(stream) : std::nullopt;
    if (known && known->name) continue;
    if (stream == 0 || who.captures.at(i) != Capture::kTaken || !unwanted_.insert(stream).second) continue;
    ++let_go_;
    next_sweep_ = {};
  }
}

}  // namespace flowtap::flow
