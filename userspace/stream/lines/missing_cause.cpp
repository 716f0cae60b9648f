#include "stream/lines/missing_cause.hpp"

#include <array>
#include <cstddef>

namespace flowtap::flow {
namespace {

struct CauseText {
  std::string_view word;
  std::string_view sentence;
};
// In the order of MissingCause.
constexpr std::array kCauses{
    CauseText{"ring_full", "the ring was full"},
    CauseText{"fault", "the memory of the process could not be read"},
    CauseText{"uncaptured",
              "flowtapd did not see them pass (splice, sendfile, or a call that the kernel did not show)"},
    CauseText{"quiet", "flowtapd had been away for too long"},
    CauseText{"unread", "their reader left before it had read them"},
    CauseText{"made_room", "they had to make room for newer ones"},
    CauseText{"unwritten", "the journal could not be written"},
    CauseText{"unreadable", "the journal could not be read"},
    CauseText{
        "elsewhere",
        "another state directory was in use, this one was emptied, or the journal could not be written"},
    CauseText{"broke_off", "the capture broke off, and nobody counted what was written until it began again"},
    CauseText{"", ""},
    CauseText{"before", "they were written before the capture, and nobody has kept them"},
};
static_assert(kCauses.size() == static_cast<std::size_t>(MissingCause::kBefore) + 1);

}  // namespace

std::string_view to_string(MissingCause cause) {
  return kCauses.at(static_cast<std::size_t>(cause)).word;
}

MissingCause missing_cause(std::string_view word) {
  for (std::size_t i = 0; i < kCauses.size(); ++i)
    if (kCauses.at(i).word == word) return static_cast<MissingCause>(i);
  return MissingCause::kUnknown;
}

std::string_view in_words(MissingCause cause) {
  return kCauses.at(static_cast<std::size_t>(cause)).sentence;
}

}  // namespace flowtap::flow
