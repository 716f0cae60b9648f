// Counts what containers wrote before they were captured, from what their runtimes have kept of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "base/threads/bell.hpp"
#include "stream/lines/shown_lines.hpp"
#include "stream/repair/histories.hpp"
#include "stream/store/flow_store.hpp"

namespace flowtap {

/// Reads what `history` has in small pieces; before each it asks `go_on`. What it has not read to the end, or could not read, is not
/// counted. `lines` then says whether it ends amid lines.
template <typename GoOn>
[[nodiscard]] flow::Before count_history(History& history, flow::ShownLines& lines, GoOn&& go_on) {
  constexpr std::size_t kPiece = std::size_t{64} << 10U;
  flow::Before before{.state = flow::Before::State::kUncounted};
  flow::Before counted{.state = flow::Before::State::kCounted};
  const auto count = [&](const flow::RuntimeLine& line) {
    counted.bytes += line.text.size() + (line.full ? 1 : 0);
    if (lines.take(line.output, line.full)) ++counted.lines;
  };
  while (history.read(kPiece, count))
    if (!go_on()) return before;
  return history.fault().empty() ? counted : before;
}

/// It works on a thread of its own, behind everything else that the node does, and counts each flow once. What cannot be read, or is
/// not there yet, is tried again after longer and longer pauses.
class BeforeCounter {
 public:
  /// Both must outlive it. `again`: how often it looks, and its first pause before it tries a flow again.
  BeforeCounter(flow::FlowStore& store, const Histories& histories,
                std::chrono::milliseconds again = std::chrono::seconds(5));
  ~BeforeCounter();
  BeforeCounter(const BeforeCounter&) = delete;
  BeforeCounter& operator=(const BeforeCounter&) = delete;

  /// The source of this flow, which the store knows, ran before. It is captured `since` (ns since 1970). Safe from any thread.
  void add(const std::string& flow, std::uint64_t since);

 private:
  struct Turn {
    std::uint64_t since = 0;  // ns since 1970
    Bell::Clock::time_point due{};
    std::chrono::milliseconds pause{};
    bool over = false;  // it cannot be counted any more
  };

  void run() noexcept;
  void look();
  [[nodiscard]] bool count(const std::string& flow, std::uint64_t since);

  flow::FlowStore& store_;
  const Histories& histories_;
  const std::chrono::milliseconds again_;
  Bell bell_;
  std::mutex mutex_;
  std::map<std::string, std::uint64_t> since_;  // of flows that look() has not seen yet, by id
  std::map<std::string, Turn> turns_;           // of flows that are not counted, by id
  std::thread thread_;
};

}  // namespace flowtap
