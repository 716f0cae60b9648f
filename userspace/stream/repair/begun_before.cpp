#include "stream/repair/begun_before.hpp"

#include "base/wall_clock.hpp"

namespace flowtap {
namespace {

// A stream that the journal does not know by then has had nothing to be known by.
constexpr std::uint64_t kUnknownStream = std::uint64_t{600} * 1'000'000'000;  // ns

}  // namespace

void BegunBefore::look(BeforeCounter& counter) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(begun_, [&](const auto& begun) {
    const auto stream = journal_.stream(begun.first);
    if (!stream) return begun.second + kUnknownStream < wall_ns();
    if (!stream->name) return false;
    if (stream->name->capture != flow::Capture::kTaken) return true;
    if (!store_.find(stream->name->flow)) return stream->sums.ended;
    counter.add(stream->name->flow, begun.second);
    return true;
  });
}

std::set<std::string> BegunBefore::flows() const {
  const std::scoped_lock lock(mutex_);
  std::set<std::string> flows;
  for (const auto& [number, since] : begun_) {
    const auto stream = journal_.stream(number);
    if (stream && stream->name && stream->name->capture == flow::Capture::kTaken)
      flows.insert(stream->name->flow);
  }
  return flows;
}

}  // namespace flowtap
