// How somebody on another thread learns that a journal has more.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/threads/event_fd.hpp"
#include "kernel/records/record.hpp"
#include "stream/journal/journal_entry.hpp"

namespace flowtap::flow {

/// Is told once when something was appended, however much comes until it has looked. It never holds up whoever appends.
///
///   while (poll(fd)) { taken(); read everything there is; }
///
/// in this order: what is appended before taken() is then read, and what comes after it makes fd readable again. A follower that
/// is told by a call has no descriptor. It says with once() what is to be called, whenever it has read everything.
class Follower {
 public:
  /// It is told of these streams only, or of all if none are named.
  [[nodiscard]] static Result<std::shared_ptr<Follower>> create(std::vector<StreamNo> streams);
  /// It is told only of the streams that join this flow.
  [[nodiscard]] static Result<std::shared_ptr<Follower>> of_flow(std::string flow);
  [[nodiscard]] static std::shared_ptr<Follower> called(std::vector<StreamNo> streams);

  [[nodiscard]] int fd() const { return event_.get(); }
  void taken();
  /// Whether some have joined its flow since this was asked last.
  [[nodiscard]] bool take_joined() { return joined_.exchange(false); }

  /// For a follower that is told by calls. Calls `wake` once, in the appending thread and during the append, so it must
  /// be short. Calls it now if something was appended since the last call.
  void once(std::function<void()> wake);
  /// No call will begin any more, and none is under way when it returns.
  void forget();

  /// Called by the appending thread after the append. `streams` are those that something was appended to.
  void tell(std::span<const StreamNo> streams);
  /// Called by the same thread before tell(), or before anybody appends.
  void join(StreamNo stream);
  [[nodiscard]] const std::string& flow() const { return flow_; }  ///< empty: it follows no flow

 private:
  friend class Followers;
  Follower(EventFd event, std::vector<StreamNo> streams)
      : event_(std::move(event)), streams_(std::move(streams)) {}
  void call();
  void call(std::function<void()> wake) noexcept;

  EventFd event_;
  std::string flow_;
  std::vector<StreamNo> streams_;
  std::atomic<bool> joined_ = false;
  std::atomic<bool> told_ = false;  // event_ is readable, or about to be; without one: nobody was called
  std::mutex mutex_;                // held during the call
  std::function<void()> wake_;
  std::shared_ptr<void> counted_;  // counts it among those in a hurry
};

/// Those that are to be told. They leave by letting go of their Follower.
class Followers {
 public:
  enum class Hurry : std::uint8_t { kNo, kYes };
  void add(const std::shared_ptr<Follower>& follower, Hurry hurry = Hurry::kYes);
  /// `named`: those of them that got a name.
  void tell(std::span<const StreamNo> streams, std::span<const StreamEntry> named = {});
  /// How many want to be told at once, so that it pays to append more often. Safe from any thread.
  [[nodiscard]] std::size_t in_hurry() const { return *in_hurry_; }

 private:
  mutable std::mutex mutex_;
  std::vector<std::weak_ptr<Follower>> followers_;
  std::shared_ptr<std::atomic<std::size_t>> in_hurry_ = std::make_shared<std::atomic<std::size_t>>(0);
};

}  // namespace flowtap::flow
