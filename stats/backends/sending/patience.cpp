#include "stats/backends/sending/patience.hpp"

#include <poll.h>

namespace flowtap::stats {

using std::chrono::milliseconds;

bool Patience::wait_for_room(int fd) {
  using Clock = std::chrono::steady_clock;
  if (left_ <= milliseconds(0)) return false;
  const auto begin = Clock::now();
  pollfd waiting{fd, POLLOUT, 0};
  const int ready = ::poll(&waiting, 1, static_cast<int>(left_.count()));
  // Each wait uses up at least a millisecond. Otherwise a socket that is "writable" and yet full would be asked for
  // ever.
  left_ -= std::chrono::duration_cast<milliseconds>(Clock::now() - begin) + milliseconds(1);
  return ready > 0;
}

}  // namespace flowtap::stats
