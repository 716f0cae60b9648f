// A thread of its own that drains the ring into the journal.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "component/views/flow_views.hpp"
#include "stats/read_errors.hpp"
#include "stats/snapshot.hpp"
#include "stream/journal/consumer/log_consumer.hpp"
#include "stream/journal/files/file_streams.hpp"

namespace flowtap {

class Drain {
 public:
  static constexpr const char* kRing = "log_ring";  ///< what it reads, as ReadErrors has it

  /// All must outlive it. `followed` says whether somebody follows what is made of the journal. `ring_stays`: whether
  /// what is left in it at the end is there for the next service. The draining thread asks it.
  Drain(flow::RecordSource& source, flow::Journal& journal, flow::StreamControl& streams, flow::Namer& namer,
        std::function<bool()> followed, std::function<bool()> ring_stays);
  ~Drain() { stop(); }
  Drain(const Drain&) = delete;
  Drain& operator=(const Drain&) = delete;

  void start();
  /// When it returns, all that has come by now is in the journal. What that has no room for is left in a ring that stays.
  void stop();

  [[nodiscard]] flow::LogConsumer& consumer() { return consumer_; }
  [[nodiscard]] flow::FileStreams& files() { return files_; }

  /// Counts rounds that have failed since the last call.
  void look_around(ReadErrors& errors);
  void report(api::StreamStatusReport& report) const;
  /// `status` is what report() says.
  void append_samples(std::vector<stats::Series>& out, const api::StreamStatusReport& status) const;

 private:
  void run() noexcept;

  flow::RecordSource& source_;
  flow::FileStreams files_;
  flow::LogConsumer consumer_;
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> failed_rounds_{0};
  std::uint64_t drain_errors_ = 0;  // as of the last look
  std::thread thread_;
};

}  // namespace flowtap
