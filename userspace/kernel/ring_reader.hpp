// Reads the log tap's ring. We need our own reader: libbpf's frees each record right after it was seen, and what had
// not reached the journal by then would be lost with the process.
#pragma once

#include <memory>
#include <string>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "base/threads/event_fd.hpp"
#include "kernel/records/record_source.hpp"

namespace flowtap::kernel {

class RingReader final : public flow::RecordSource {
 public:
  /// Maps the ring buffer behind `map_fd`, and needs the descriptor only during this call. There must be no other
  /// reader: all would share one position, which the kernel keeps.
  [[nodiscard]] static Result<std::unique_ptr<RingReader>> open(int map_fd);
  ~RingReader() override;
  RingReader(const RingReader&) = delete;
  RingReader& operator=(const RingReader&) = delete;

  [[nodiscard]] std::string ring_id() const override { return id_; }
  [[nodiscard]] Result<flow::RingPosition> drain(
      std::size_t limit, const std::function<void(std::span<const std::byte>)>& take) override;
  [[nodiscard]] Result<flow::RingPosition> look_ahead(
      flow::RingPosition from, const std::function<void(std::span<const std::byte>)>& take) const override;
  [[nodiscard]] flow::RingPosition position() const override;
  [[nodiscard]] flow::RingPosition head() const override { return produced(); }
  /// A position that the ring has not reached yet, or has passed, changes nothing.
  void commit(flow::RingPosition position) override;
  /// Records that come without a wake-up (all records of bytes, unless the tap was told to wake) do not end the wait.
  /// So drain after each wait, and until nothing is left before the next.
  [[nodiscard]] bool wait(std::chrono::milliseconds longest) override;
  void interrupt() override;

  /// How many bytes the ring holds, and how many it can hold.
  [[nodiscard]] std::uint64_t backlog() const;
  [[nodiscard]] Fill fill() const override { return {backlog(), capacity()}; }
  [[nodiscard]] std::uint64_t capacity() const { return data_.size() / 2; }

 private:
  RingReader() = default;
  [[nodiscard]] std::uint64_t produced() const;

  std::string id_;
  std::size_t page_ = 0;
  std::byte* consumer_ = nullptr;        // a page: the position that we write
  const std::byte* producer_ = nullptr;  // a page: the position that the kernel writes; the data follow
  std::span<const std::byte> data_;
  Fd ring_;
  EventFd interrupt_;
  Fd epoll_;
};

}  // namespace flowtap::kernel
