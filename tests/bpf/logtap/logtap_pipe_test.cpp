// Pipes, tapped where they are read: what was captured is what was written, byte for byte, however it was written and
// however it was read.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <numeric>
#include <thread>

#include "tests/bpf/i386_call.hpp"
#include "tests/bpf/logtap/logtap_capture.hpp"
#include "tests/bpf/logtap/logtap_text.hpp"

namespace flowtap {
namespace {

using test::binary;
using test::lines;
using test::Pipe;
using test::write_all;

using Writer = std::function<void(int fd, const std::string& text)>;
using Reader = std::function<std::string(int fd)>;

Writer in_blocks(std::size_t size) {
  return [size](int fd, const std::string& text) {
    for (std::size_t at = 0; at < text.size(); at += size)
      write_all(fd, text.data() + at, std::min(size, text.size() - at));
  };
}

void by_writev(int fd, const std::string& text) {
  // 300 segments at a time, every third empty.
  std::size_t at = 0;
  while (at < text.size()) {
    std::vector<iovec> segments;
    std::size_t asked = 0;
    for (std::size_t i = 0; i < 300; ++i) {
      const std::size_t n = i % 3 == 0 ? 0 : std::min<std::size_t>(1 + i * 7 % 100, text.size() - at - asked);
      segments.push_back({const_cast<char*>(text.data()) + at + asked, n});
      asked += n;
    }
    const ssize_t now = ::writev(fd, segments.data(), static_cast<int>(segments.size()));
    ASSERT_GT(now, 0);
    at += static_cast<std::size_t>(now);
  }
}

void by_nonblocking(int fd, const std::string& text) {
  ::fcntl(fd, F_SETFL, O_NONBLOCK);
  write_all(fd, text.data(), text.size());
}

Fd file_with(const std::string& text) {
  Fd file(::memfd_create("text", 0));
  write_all(file.get(), text.data(), text.size());
  return file;
}

void by_sendfile(int fd, const std::string& text) {
  const Fd file = file_with(text);
  off_t at = 0;
  while (static_cast<std::size_t>(at) < text.size())
    ASSERT_GT(::sendfile(fd, file.get(), &at, text.size()), 0);
}

void by_splice(int fd, const std::string& text) {
  const Fd file = file_with(text);
  loff_t at = 0;
  while (static_cast<std::size_t>(at) < text.size())
    ASSERT_GT(::splice(file.get(), &at, fd, nullptr, text.size(), 0), 0);
}

Reader by_read(std::size_t size) {
  return [size](int fd) { return test::read_all(fd, size); };
}

std::string by_readv(int fd) {
  std::string text;
  std::array<std::string, 4> parts{std::string(7, ' '), std::string(), std::string(5000, ' '),
                                   std::string(70'000, ' ')};
  std::array<iovec, 4> segments{};
  for (std::size_t i = 0; i < parts.size(); ++i) segments.at(i) = {parts.at(i).data(), parts.at(i).size()};
  for (ssize_t n = 0; (n = ::readv(fd, segments.data(), segments.size())) > 0;) {
    auto left = static_cast<std::size_t>(n);
    for (const std::string& part : parts) {
      text.append(part, 0, std::min(left, part.size()));
      left -= std::min(left, part.size());
    }
  }
  return text;
}

class LogTapPipe : public test::TapTest {
 protected:
  // Passes the text through a pipe of its own: what was read and what was captured are what was written.
  void pass(const std::string& text, const Writer& writer, const Reader& reader) {
    Pipe pipe;
    const flow::StreamNo stream = tap_->tap(pipe.out.get());
    std::thread thread([&] {
      writer(pipe.in.get(), text);
      pipe.in.reset();
    });
    const std::string read = reader(pipe.out.get());
    thread.join();
    ASSERT_TRUE(read == text) << "the test itself";
    const auto& got = tap_->captured().of(stream);
    if (!expect_all(got, text)) return;
    ASSERT_EQ(got.ends.size(), 1U);
    EXPECT_EQ(got.ends[0].passed, text.size());
    EXPECT_EQ(got.ends[0].lost, decltype(flow::End::lost){});
    EXPECT_EQ(tap_->slot(stream).state, FTAP_STREAM_ENDED);
  }
};

TEST_P(LogTapPipe, Write) {
  pass(lines(10'000), in_blocks(100), by_read(8192));
}

TEST_P(LogTapPipe, ManySegments) {
  pass(lines(30'000), by_writev, by_read(32768));
}

TEST_P(LogTapPipe, SingleBytes) {
  pass(binary(5000), in_blocks(1), by_read(1));
}

TEST_P(LogTapPipe, BlocksOfAMebibyte) {
  pass(binary(8U << 20U), in_blocks(1U << 20U), by_read(1U << 20U));
}

TEST_P(LogTapPipe, PartialWrites) {
  pass(binary(3'000'000), by_nonblocking, by_read(32768));
}

TEST_P(LogTapPipe, Sendfile) {
  pass(binary(300'000), by_sendfile, by_read(8192));
}

TEST_P(LogTapPipe, Splice) {
  pass(binary(300'000), by_splice, by_read(8192));
}

TEST_P(LogTapPipe, ReadInSegments) {
  pass(binary(2'000'000), in_blocks(65536), by_readv);
}

TEST_P(LogTapPipe, HundredThousandShortLines) {
  const std::string text = lines(100'000);
  pass(text, test::write_lines, by_read(8192));
  pass(text, test::write_lines, by_read(32768));
}

TEST_P(LogTapPipe, ReadsOfEverySize) {
  // The sizes are on both sides of every border between the ways in which a record is made.
  for (const std::size_t size : {1U,      2U,      39U,     4055U,    4056U,    4095U,     4096U,   4097U,
                                 8191U,   8192U,   8193U,   12'288U,  16'383U,  16'384U,   32'768U, 36'865U,
                                 65'535U, 65'536U, 65'537U, 100'000U, 131'072U, 1'000'003U}) {
    SCOPED_TRACE(size);
    const auto widened = [size](int fd) {
      ::fcntl(fd, F_SETPIPE_SZ, 1U << 20U);
      return by_read(size)(fd);
    };
    // There are so many blocks that one is less than a tenth of the text.
    pass(binary(12 * size + 1), in_blocks(size), widened);
  }
}

TEST_P(LogTapPipe, TwoStreamsInOnePipe) {
  // stdout and stderr in one pipe: the captured order is the pipe's own, so it equals what the reader saw.
  Pipe pipe;
  const flow::StreamNo stream = tap_->tap(pipe.out.get());
  EXPECT_EQ(tap_->tap(pipe.in.get()), stream) << "one pipe, one stream";
  Fd second(::dup(pipe.in.get()));
  std::thread one([&] { in_blocks(37)(pipe.in.get(), lines(5000)), pipe.in.reset(); });
  std::thread other([&] { in_blocks(41)(second.get(), binary(200'000)), second.reset(); });
  std::string read;
  std::thread reader([&] { read = by_read(8192)(pipe.out.get()); });
  one.join();
  other.join();
  reader.join();
  expect_all(tap_->captured().of(stream), read);
}

TEST_P(LogTapPipe, AReadOfNothingIsNoEnd) {
  Pipe pipe;
  const flow::StreamNo stream = tap_->tap(pipe.out.get());
  write_all(pipe.in.get(), "some");
  pipe.in.reset();
  char byte = 0;
  const iovec empty{&byte, 0};
  EXPECT_EQ(::read(pipe.out.get(), &byte, 0), 0);
  EXPECT_EQ(::readv(pipe.out.get(), &empty, 1), 0);
  EXPECT_TRUE(tap_->captured().of(stream).ends.empty());
  EXPECT_EQ(by_read(100)(pipe.out.get()), "some");
  EXPECT_EQ(tap_->captured().of(stream).whole(), "some");
  EXPECT_EQ(::read(pipe.out.get(), &byte, 1), 0);
  EXPECT_EQ(tap_->captured().of(stream).ends.size(), 1U) << "it ends once";
}

TEST_P(LogTapPipe, WhatIsSplicedOutIsCounted) {
  const Pipe pipe;
  const Pipe elsewhere;
  const flow::StreamNo stream = tap_->tap(pipe.out.get());
  write_all(pipe.in.get(), "0123456789");
  std::array<char, 4> buffer{};
  EXPECT_EQ(::tee(pipe.out.get(), elsewhere.in.get(), 5, 0), 5) << "takes nothing out";
  EXPECT_EQ(::read(pipe.out.get(), buffer.data(), 3), 3);
  EXPECT_EQ(::splice(pipe.out.get(), nullptr, elsewhere.in.get(), nullptr, 4, 0), 4);
  EXPECT_EQ(::read(pipe.out.get(), buffer.data(), 3), 3);
  const auto& got = tap_->captured().of(stream);
  EXPECT_EQ(got.pieces, (std::map<std::uint64_t, std::string>{{0, "012"}, {7, "789"}}));
  const auto slot = tap_->slot(stream);
  EXPECT_EQ(slot.passed, 10U);
  EXPECT_EQ(slot.lost[FTAP_LOSS_UNCAPTURED], 4U);
  EXPECT_EQ(std::accumulate(slot.lost.begin(), slot.lost.end(), std::uint64_t{0}), got.missing(slot.passed));
}

// One call for both directions: what goes in passes when it is read, what comes out passes at once.
TEST_P(LogTapPipe, VmspliceOfEitherEnd) {
  const Pipe pipe;
  const flow::StreamNo stream = tap_->tap(pipe.out.get());
  std::string text = "spliced in";
  const iovec in{text.data(), text.size()};
  EXPECT_EQ(::vmsplice(pipe.in.get(), &in, 1, 0), 10);
  EXPECT_EQ(tap_->slot(stream).passed, 0U);
  std::array<char, 10> buffer{};
  EXPECT_EQ(::read(pipe.out.get(), buffer.data(), buffer.size()), 10);
  write_all(pipe.in.get(), "copied out");
  const iovec out{buffer.data(), buffer.size()};
  EXPECT_EQ(::vmsplice(pipe.out.get(), &out, 1, 0), 10);
  // The backend at functions has no program of its own for that.
  const bool sees_out = GetParam() == kernel::LogBackend::kSysExit;
  EXPECT_EQ(tap_->captured().of(stream).whole(), sees_out ? "spliced incopied out" : "spliced in");
  EXPECT_EQ(tap_->slot(stream).passed, sees_out ? 20U : 10U);
}

#ifdef __x86_64__
TEST_P(LogTapPipe, A32BitTasksVmspliceOfEitherEnd) {
  if (!test::has_i386_calls()) return;
  constexpr long kVmsplice = 316;
  const Pipe pipe;
  const flow::StreamNo stream = tap_->tap(pipe.out.get());
  test::LowMemory memory;
  const std::uint32_t text = memory.put(std::string_view("spliced in"));
  const std::uint32_t vector = memory.put(test::I386Iovec{text, 10});
  const auto vmsplice = [vector](int fd) {
    return test::i386_call(kVmsplice, {static_cast<std::uint32_t>(fd), vector, 1, 0});
  };
  EXPECT_EQ(vmsplice(pipe.in.get()), 10);
  EXPECT_EQ(tap_->slot(stream).passed, 0U);
  std::array<char, 10> buffer{};
  EXPECT_EQ(::read(pipe.out.get(), buffer.data(), buffer.size()), 10);
  write_all(pipe.in.get(), "copied out");
  EXPECT_EQ(vmsplice(pipe.out.get()), 10);
  EXPECT_EQ(tap_->captured().of(stream).whole(), "spliced in");
  EXPECT_EQ(tap_->slot(stream).lost[FTAP_LOSS_UNCAPTURED],
            GetParam() == kernel::LogBackend::kSysExit ? 10U : 0U);
}
#endif

TEST_P(LogTapPipe, AFaultCostsItsBytesAndIsCounted) {
  // The bytes that are read overwrite the vector that says where they stand: afterwards nobody can find them.
  const Pipe pipe;
  const flow::StreamNo stream = tap_->tap(pipe.out.get());
  write_all(pipe.in.get(), "before");
  write_all(pipe.in.get(), std::string(64, 'x'));
  write_all(pipe.in.get(), "after");
  std::array<char, 6> before{};
  EXPECT_EQ(::read(pipe.out.get(), before.data(), before.size()), 6);
  std::array<iovec, 4> segments{};
  segments[0] = {segments.data(), sizeof(segments)};
  // Not libc's readv(): a sanitizer's would look at the vector afterwards.
  EXPECT_EQ(::syscall(SYS_readv, pipe.out.get(), segments.data(), 1), 64);
  EXPECT_EQ(::read(pipe.out.get(), before.data(), before.size()), 5);
  const auto& got = tap_->captured().of(stream);
  if (GetParam() == kernel::LogBackend::kFunctions) {
    EXPECT_EQ(got.whole(), "before" + std::string(64, 'x') + "after")
        << "the kernel's own copy of the vector is whole";
    return;
  }
  EXPECT_EQ(got.pieces, (std::map<std::uint64_t, std::string>{{0, "before"}, {70, "after"}}));
  EXPECT_EQ(tap_->slot(stream).lost[FTAP_LOSS_FAULT], 64U);
}

TEST_P(LogTapPipe, AnotherPipeWithTheNumberIsNotCaptured) {
  // A FIFO's inode stays, while the pipe in it goes when nobody has it open: so its number can be used again at will.
  const std::string path = "/tmp/flowtap-test-fifo-" + std::to_string(::getpid());
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const auto say = [&path](const std::string& text, const std::function<void(int)>& before) {
    const Fd reader(::open(path.c_str(), O_RDONLY | O_NONBLOCK));
    const Fd writer(::open(path.c_str(), O_WRONLY));
    before(reader.get());
    write_all(writer.get(), text);
    std::array<char, 64> buffer{};
    EXPECT_EQ(::read(reader.get(), buffer.data(), buffer.size()), static_cast<ssize_t>(text.size()));
  };
  flow::StreamNo stream = 0;
  say("the tapped one", [&](int reader) { stream = tap_->tap(reader); });
  // These take the memory of the first pipe, so that the second one is elsewhere.
  const std::array<Pipe, 64> between;
  say("foreign", [](int) {});
  ::unlink(path.c_str());
  const auto& got = tap_->captured().of(stream);
  EXPECT_EQ(got.whole(), "the tapped one");
  EXPECT_EQ(got.ends.size(), 1U);
}

TEST_P(LogTapPipe, NothingIsTakenWhileMutedNorAfterTheEnd) {
  const Pipe pipe;
  const flow::StreamNo stream = tap_->tap(pipe.out.get());
  std::array<char, 8> buffer{};
  tap_->streams().mute(true);
  write_all(pipe.in.get(), "muted");
  EXPECT_EQ(::read(pipe.out.get(), buffer.data(), buffer.size()), 5);
  tap_->streams().mute(false);
  EXPECT_EQ(tap_->slot(stream).passed, 0U);
  write_all(pipe.in.get(), "heard");
  EXPECT_EQ(::read(pipe.out.get(), buffer.data(), buffer.size()), 5);
  ASSERT_TRUE(tap_->streams().end(tap_->slot(stream)));
  write_all(pipe.in.get(), "ended");
  EXPECT_EQ(::read(pipe.out.get(), buffer.data(), buffer.size()), 5);
  EXPECT_EQ(tap_->captured().of(stream).whole(), "heard");
  EXPECT_EQ(tap_->slot(stream).passed, 5U);
  const auto before = tap_->streams().sweep().size();
  tap_->streams().free(tap_->slot(stream));
  EXPECT_EQ(tap_->streams().sweep().size(), before - 1);
}

FLOWTAP_EACH_BACKEND(LogTapPipe);

}  // namespace
}  // namespace flowtap
