#include "stream/repair/before_counter.hpp"

#include <pthread.h>
#include <sys/resource.h>

#include <array>
#include <chrono>
#include <exception>

#include "base/wall_clock.hpp"

namespace flowtap {
namespace {

using namespace std::chrono_literals;

constexpr int kCountNice = 19;
// The pause between two pieces, so that large files take time rather than a processor.
constexpr auto kPieceBreath = 2ms;
// A flow may get another name before its turn comes.
constexpr auto kLookAgain = 5s;

}  // namespace

BeforeCounter::BeforeCounter(flow::FlowStore& store, const Histories& histories)
    : store_(store), histories_(histories) {
  bell_.ring();  // for flows that an earlier service has not come to
  thread_ = std::thread([this] { run(); });
}

BeforeCounter::~BeforeCounter() {
  bell_.stop();
  thread_.join();
}

void BeforeCounter::add(const std::string& flow, std::uint64_t since) {
  store_.set_before(flow, {.state = flow::Before::State::kUncounted});
  {
    const std::scoped_lock lock(mutex_);
    since_.try_emplace(flow, since);
  }
  bell_.ring();
}

void BeforeCounter::run() noexcept {
  ::pthread_setname_np(::pthread_self(), "ftap-before");
  ::setpriority(PRIO_PROCESS, 0, kCountNice);
  while (bell_.wait(kLookAgain)) {
    try {
      look();
    } catch (const std::exception&) {  // no memory: tried again later
      continue;
    }
  }
}

void BeforeCounter::look() {
  std::set<std::string> uncounted;
  for (flow::FlowSummary& flow : store_.flows())
    if (flow.before.state == flow::Before::State::kUncounted) uncounted.insert(std::move(flow.id));
  std::erase_if(tried_, [&](const std::string& id) { return !uncounted.contains(id); });
  for (const std::string& id : uncounted) {
    if (!tried_.insert(id).second) continue;
    std::uint64_t since = wall_ns();
    {
      const std::scoped_lock lock(mutex_);
      if (const auto told = since_.extract(id)) since = told.mapped();
    }
    count(id, since);
  }
}

// If the flow's beginning has made room already, it is not known any more where in the runtime's files it was.
void BeforeCounter::count(const std::string& id, std::uint64_t since) {
  const auto flow = store_.find(id);
  const auto bounds = flow ? store_.bounds(*flow) : std::nullopt;
  if (!bounds || bounds->begin != 0) return;
  auto keys = seam_keys(store_, *flow, bounds->begin, bounds->end, since);
  if (!keys) return;
  const std::array captured = {!keys->at(0).bytes.empty(), !keys->at(1).bytes.empty()};
  const auto history = histories_.open_log(id, std::move(*keys));
  if (!history) return;  // what it wrote before is nowhere
  flow::ShownLines lines;
  auto before = count_history(**history, lines, [this] { return bell_.wait(kPieceBreath); });
  if (before.state != flow::Before::State::kCounted) return;
  // A line that was amid when the capture began is one line: it counts there if something of it was captured by now.
  auto amid = lines.amid();
  for (std::size_t output = 0; output < amid.size(); ++output) {
    if (amid.at(output) && captured.at(output)) --before.lines;
    amid.at(output) = amid.at(output) && !captured.at(output);
  }
  store_.set_before(id, before, amid);
}

}  // namespace flowtap
