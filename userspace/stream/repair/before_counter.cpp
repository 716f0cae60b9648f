#include "stream/repair/before_counter.hpp"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <exception>
#include <set>

#include "base/wall_clock.hpp"

namespace flowtap {
namespace {

using namespace std::chrono_literals;

constexpr int kCountNice = 19;
// The pause between two pieces, so that large files take time rather than a processor.
constexpr auto kPieceBreath = 2ms;
constexpr std::chrono::milliseconds kLongestWait = 10min;

}  // namespace

BeforeCounter::BeforeCounter(flow::FlowStore& store, const Histories& histories,
                             std::chrono::milliseconds again)
    : store_(store), histories_(histories), again_(again) {
  bell_.ring();  // for flows that an earlier service has not come to
  thread_ = std::thread([this] { run(); });
}

BeforeCounter::~BeforeCounter() {
  bell_.stop();
  thread_.join();
}

void BeforeCounter::add(const std::string& flow, std::uint64_t since) {
  {
    const std::scoped_lock lock(mutex_);
    store_.set_before(flow, {.state = flow::Before::State::kUncounted});
    since_.try_emplace(flow, since);
  }
  bell_.ring();
}

void BeforeCounter::run() noexcept {
  ::pthread_setname_np(::pthread_self(), "ftap-before");
  ::setpriority(PRIO_PROCESS, 0, kCountNice);
  while (bell_.wait(again_)) {
    try {
      look();
    } catch (const std::exception&) {  // no memory: tried again later
      continue;
    }
  }
}

void BeforeCounter::look() {
  std::set<std::string> uncounted;
  {
    const std::scoped_lock lock(mutex_);
    for (flow::FlowSummary& flow : store_.flows())
      if (flow.before.state == flow::Before::State::kUncounted) uncounted.insert(std::move(flow.id));
    for (const auto& [id, since] : since_) turns_.try_emplace(id, Turn{.since = since, .pause = again_});
    since_.clear();
  }
  // A flow that has got another name has a turn by that.
  std::erase_if(turns_, [&](const auto& turn) { return !uncounted.contains(turn.first); });
  for (const std::string& id : uncounted) {
    Turn& turn = turns_.try_emplace(id, Turn{.since = wall_ns(), .pause = again_}).first->second;
    const auto now = Bell::Clock::now();
    if (turn.over || now < turn.due) continue;
    turn.due = now + turn.pause;
    turn.pause = std::min(turn.pause * 2, kLongestWait);
    turn.over = count(id, turn.since);
  }
}

// True: there is nothing to try again. If the flow's beginning has made room already, it is not known any more where in the runtime's
// files it was.
bool BeforeCounter::count(const std::string& id, std::uint64_t since) {
  const auto flow = store_.find(id);
  const auto bounds = flow ? store_.bounds(*flow) : std::nullopt;
  if (!bounds) return false;
  if (bounds->begin != 0) return true;
  auto keys = seam_keys(store_, *flow, bounds->begin, bounds->end, since);
  if (!keys) return false;
  const std::array captured = {!keys->at(0).bytes.empty(), !keys->at(1).bytes.empty()};
  const auto history = histories_.open_log(id, std::move(*keys));
  if (!history) return false;  // its runtime has made no file yet, or has removed it
  const auto oldest = (*history)->oldest();
  flow::ShownLines lines;
  auto before = count_history(**history, lines, [this] { return bell_.wait(kPieceBreath); });
  if (before.state != flow::Before::State::kCounted) return false;
  // A line that was amid when the capture began is one line: it counts there if something of it was captured by then.
  auto amid = lines.amid();
  for (std::size_t output = 0; output < amid.size(); ++output) {
    if (amid.at(output) && captured.at(output)) --before.lines;
    amid.at(output) = amid.at(output) && !captured.at(output);
  }
  store_.set_before(id, before, amid);
  if (oldest) histories_.note_oldest(*flow, *oldest);
  return true;
}

}  // namespace flowtap
