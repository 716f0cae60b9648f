// The product's log tap, running, with streams of the test's own. It puts together again what the tap captured.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernel/log/log_misses.hpp"
#include "kernel/log/log_programs.hpp"
#include "tests/support/may_miss.hpp"

namespace flowtap::test {

/// What the ring told about one stream.
struct CapturedStream {
  std::map<std::uint64_t, std::string> pieces;       ///< by offset
  std::map<std::uint64_t, std::uint64_t> positions;  ///< offset → position in the file
  std::vector<flow::End> ends;

  /// All bytes, each in its place; a gap or an overlap fails the test.
  [[nodiscard]] std::string whole() const;
  [[nodiscard]] std::uint64_t captured() const;
  /// How many bytes are missing between the pieces, before the first, and between the last and `passed`.
  [[nodiscard]] std::uint64_t missing(std::uint64_t passed) const;
  /// Searches the text from a place on for all pieces, each somewhere behind the one before, so that none is there
  /// twice. Returns where the last piece ends; nothing: they are not there in this way.
  [[nodiscard]] std::optional<std::size_t> found_in(const std::string& text, std::size_t from = 0) const;
  /// The text as a file would hold it: each piece at its position.
  [[nodiscard]] std::string as_file() const;
};

/// Puts records into streams. Overlapping pieces fail the test.
class Captured {
 public:
  void add(std::span<const std::byte> raw);
  [[nodiscard]] const CapturedStream& of(flow::StreamNo stream) const;
  [[nodiscard]] const std::vector<flow::Enter>& enters() const { return enters_; }
  [[nodiscard]] const std::vector<std::uint64_t>& gone() const { return gone_; }

 private:
  std::map<flow::StreamNo, CapturedStream> streams_;
  std::vector<flow::Enter> enters_;
  std::vector<std::uint64_t> gone_;
};

/// What stands behind a descriptor, as the tap knows it.
kernel::LogTarget target_of(int fd, ftap_log_kind kind);

/// Why this kernel does not accept the backend's programs at functions; empty: it does, or the backend has none. Any other failure
/// throws.
[[nodiscard]] std::string refusal(kernel::LogBackend backend);

class RunningTap {
 public:
  explicit RunningTap(std::uint32_t ring_bytes = 64U << 20U,
                      kernel::LogBackend backend = kernel::LogBackend::kSysExit,
                      std::optional<bool> seconds = {});

  flow::StreamNo tap(int fd, ftap_log_kind kind = FTAP_KIND_PIPE);
  /// All that was captured until now, what came with earlier calls included.
  const Captured& captured();
  /// The slot of a stream; if there is none, the test fails.
  kernel::LogStream slot(flow::StreamNo stream);
  kernel::LogStreams& streams() { return *streams_; }
  kernel::RingReader& ring() { return *ring_; }
  /// Events that perhaps no program saw.
  [[nodiscard]] std::uint64_t missed() const;
  [[nodiscard]] kernel::LogMisses misses() const;

 private:
  std::optional<kernel::LogLive> live_;
  std::unique_ptr<kernel::RingReader> ring_;
  std::optional<kernel::LogStreams> streams_;
  Captured captured_;
};

/// A test of each backend, on a tap that it shares with the other tests of its program. Where the kernel refuses a
/// backend's programs (functions cannot be traced on every machine) the test skips itself; the virtual machines count
/// that as a failure.
class TapTest : public ::testing::TestWithParam<kernel::LogBackend> {
 protected:
  void SetUp() override;

  /// Whether a program was kept from running since the test began, which makes every stream of that time suspect.
  /// Where the kernel does not preempt the programs, that fails the test.
  [[nodiscard]] bool suspect() const;
  /// Expects that this was captured, once and in order. False where a program was kept from running: then perhaps only
  /// most of it was captured (expect_most()), in order, and the end may have been missed. Also false where the kernel
  /// has moved pages meanwhile and, at the stream's end, every missing byte is counted as one that could not be copied.
  bool expect_all(const CapturedStream& got, const std::string& text, std::size_t one_event = 0) const;

  RunningTap* tap_ = nullptr;

 private:
  std::uint64_t missed_before_ = 0;
  std::uint64_t moved_before_ = 0;
};

}  // namespace flowtap::test

/// For SetUp() of tests with backends of their own: does what TapTest does.
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): GTEST_SKIP returns
#define FLOWTAP_SKIP_IF_REFUSED(backend)                                                   \
  do {                                                                                     \
    if (const std::string why = test::refusal(backend); !why.empty()) GTEST_SKIP() << why; \
  } while (false)

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): GoogleTest's own is a macro
#define FLOWTAP_EACH_BACKEND(suite)                                                                     \
  INSTANTIATE_TEST_SUITE_P(                                                                             \
      Backends, suite, ::testing::Values(kernel::LogBackend::kSysExit, kernel::LogBackend::kFunctions), \
      [](const auto& tested) { return std::string(kernel::backend_name(tested.param)); })
