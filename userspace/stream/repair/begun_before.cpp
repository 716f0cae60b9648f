#include "stream/repair/begun_before.hpp"

#include "base/wall_clock.hpp"

namespace flowtap {
namespace {

// A stream that the journal does not know by then has had nothing to be known by.
constexpr std::uint64_t kUnknownStream = std::uint64_t{600} * 1'000'000'000;  // ns

}  // namespace

void BegunBefore::look(BeforeCounter& counter) {
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

}  // namespace flowtap
