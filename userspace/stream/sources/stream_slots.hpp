// The log tap's slots, as the stream path wants them.
#pragma once

#include "kernel/log/log_streams.hpp"
#include "kernel/log/open_files.hpp"
#include "kernel/records/stream_control.hpp"

namespace flowtap {

[[nodiscard]] std::vector<flow::StreamSlot> stream_slots(const std::vector<kernel::LogStream>& streams);

class StreamSlots final : public flow::StreamControl {
 public:
  explicit StreamSlots(kernel::LogStreams streams) : streams_(std::move(streams)) {}

  /// `files` is asked who reads which pipe and who runs in which cgroup. It must outlive this.
  void ask(const kernel::OpenFiles* files) { files_ = files; }

  [[nodiscard]] std::vector<flow::StreamSlot> sweep() const override {
    return stream_slots(streams_.sweep());
  }
  [[nodiscard]] std::vector<flow::StreamSlot> abandoned(
      const std::vector<flow::StreamSlot>& streams) const override;
  /// As kernel::LogStreams::has_owner().
  [[nodiscard]] bool has_owner(const flow::StreamSlot& slot) const;
  Status end(const flow::StreamSlot& slot) override;
  Status abandon(const flow::StreamSlot& slot) override;
  void free(const flow::StreamSlot& slot) override;
  flow::NameKept keep_name(flow::StreamNo stream, std::span<const std::byte> name) override {
    return streams_.names().keep(stream, name);
  }
  [[nodiscard]] std::vector<std::byte> kept_name(flow::StreamNo stream) const override {
    return streams_.names().kept(stream);
  }
  [[nodiscard]] std::vector<flow::StreamNo> kept_names() const override { return streams_.names().streams(); }
  void forget_name(flow::StreamNo stream) override { streams_.names().forget(stream); }
  [[nodiscard]] flow::StreamNo take_number() override { return streams_.take_number(); }
  void beat() override { streams_.beat(); }
  void wake(bool on) override { streams_.wake(on); }

  [[nodiscard]] kernel::LogStreams& kernel() { return streams_; }
  [[nodiscard]] const kernel::LogStreams& kernel() const { return streams_; }

 private:
  kernel::LogStreams streams_;
  const kernel::OpenFiles* files_ = nullptr;
};

}  // namespace flowtap
