// The main log's file on a thread of its own: a disk that is slow or hangs holds up neither lines nor readers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/threads/bell.hpp"
#include "stream/main_log/main_log.hpp"

namespace flowtap {

class MainLogThread {
 public:
  /// Bytes that may wait for the file. Beyond that they are lost here (their flow has them), and counted.
  static constexpr std::size_t kMostWaiting = std::size_t{4} << 20U;

  explicit MainLogThread(MainLog::Options options);
  /// Writes what waits.
  ~MainLogThread();
  MainLogThread(const MainLogThread&) = delete;
  MainLogThread& operator=(const MainLogThread&) = delete;

  /// Begins to write; until then everything waits. Call it once, or again after halt().
  void start();
  /// Writes what waits, and then no more.
  void halt();

  /// Takes the end of the main log's flow. An earlier process may not have written its last lines: they are written now, if the
  /// file ends amid this text. Call it before anything else.
  void begin_behind(std::string earlier);
  /// Writes a line, or a part of one. It waits for no file.
  void write(std::string_view text, bool full);
  /// All that came so far may have been written by an earlier process already, and is not written again; it waits for this call.
  /// All that comes from now on is new.
  void replayed();
  [[nodiscard]] std::uint64_t lost_bytes() const { return lost_ + log_.lost_bytes(); }

 private:
  void run() noexcept;
  void write_waiting(bool last);
  [[nodiscard]] std::size_t written(std::string_view text, std::size_t earlier, std::size_t again) const;

  MainLog log_;
  std::unique_ptr<Bell> bell_ = std::make_unique<Bell>();
  std::mutex mutex_;
  std::string waiting_;
  bool replaying_ = true;
  std::size_t earlier_ = 0;  // this many of the first bytes that wait are the flow's
  std::size_t again_ = 0;    // this many bytes behind them were replayed
  std::atomic<std::uint64_t> lost_{0};
  std::thread thread_;
};

}  // namespace flowtap
