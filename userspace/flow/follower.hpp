// How somebody on another thread learns that a journal has more.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "flow/record.hpp"

namespace flowtap::flow {

/// An eventfd that becomes readable when something was appended. It never holds up who appends: a follower that sleeps
/// is told once, however much comes meanwhile.
///
///   while (poll(fd)) { taken(); read everything there is; }
///
/// in this order: what is appended before taken() is then read, and what comes after it makes fd readable again.
class Follower {
 public:
  /// `streams`: only of these; empty: of all.
  [[nodiscard]] static Result<std::shared_ptr<Follower>> create(std::vector<StreamNo> streams);

  [[nodiscard]] int fd() const { return fd_.get(); }
  void taken();

  /// From the appending thread, behind the append. `streams` are those that something was appended of.
  void tell(std::span<const StreamNo> streams);

 private:
  Follower(Fd fd, std::vector<StreamNo> streams) : fd_(std::move(fd)), streams_(std::move(streams)) {}

  Fd fd_;
  std::vector<StreamNo> streams_;
  std::atomic<bool> told_ = false;  // fd_ is readable, or about to be
};

/// Those that are to be told. They leave by letting go of their Follower.
class Followers {
 public:
  void add(const std::shared_ptr<Follower>& follower);
  void tell(std::span<const StreamNo> streams);
  [[nodiscard]] std::size_t size() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::weak_ptr<Follower>> followers_;
};

}  // namespace flowtap::flow
