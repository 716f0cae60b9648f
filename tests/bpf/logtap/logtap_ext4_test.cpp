// Files on a real ext4, the file system of most nodes' logs. This runs only in the virtual machines, which have a disk
// for it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <stdexcept>

#include "tests/bpf/logtap/logtap_capture.hpp"
#include "tests/bpf/logtap/logtap_text.hpp"

namespace flowtap {
namespace {

using test::write_all;

constexpr const char* kDisk = "/dev/nvme0n1";  // vmtest/lib/guest.py
constexpr const char* kPlace = "/tmp/flowtap-test-ext4";

class LogTapExt4 : public test::TapTest {
 protected:
  static void SetUpTestSuite() {
    if (std::system((std::string("mkfs.ext4 -q -F ") + kDisk).c_str()) != 0 || ::mkdir(kPlace, 0700) != 0 ||
        ::mount(kDisk, kPlace, "ext4", 0, nullptr) != 0)
      throw std::runtime_error("there is no ext4");
  }
  static void TearDownTestSuite() { ::umount(kPlace); }

  static Fd file(const char* name, int flags = 0) {
    return Fd(::open((std::string(kPlace) + "/" + name).c_str(),
                     O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC | flags, 0600));
  }
  static std::string content(const Fd& file) {
    std::string text(static_cast<std::size_t>(::lseek(file.get(), 0, SEEK_END)), '\0');
    EXPECT_EQ(::pread(file.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    return text;
  }
};

TEST_P(LogTapExt4, ALogThatIsAppendedTo) {
  const Fd log = file("log", O_APPEND);
  const flow::StreamNo stream = tap_->tap(log.get(), FTAP_KIND_FILE);
  test::write_lines(log.get(), test::lines(2000));
  std::string one = "in two ";
  std::string two = "segments\n";
  const std::array<iovec, 2> segments{iovec{one.data(), one.size()}, {two.data(), two.size()}};
  EXPECT_EQ(::writev(log.get(), segments.data(), 2), 16);
  write_all(log.get(), test::binary(1'000'000));
  const auto& got = tap_->captured().of(stream);
  const std::string text = content(log);
  if (!expect_all(got, text, 1'000'000)) return;
  EXPECT_EQ(got.as_file(), text);
  EXPECT_EQ(tap_->slot(stream).passed, text.size());
}

TEST_P(LogTapExt4, AtGivenPositionsAndByTheKernelItself) {
  const Fd log = file("positions");
  const Fd source = file("source");
  const flow::StreamNo stream = tap_->tap(log.get(), FTAP_KIND_FILE);
  write_all(source.get(), test::binary(300));
  const std::string text = test::binary(20'000);
  EXPECT_EQ(::pwrite(log.get(), text.data() + 10'000, 10'000, 10'000), 10'000);
  EXPECT_EQ(::pwrite(log.get(), text.data(), 10'000, 0), 10'000);
  const auto& got = tap_->captured().of(stream);
  if (got.captured() != text.size() && suspect()) return;
  EXPECT_TRUE(got.as_file() == text);
  ASSERT_EQ(::lseek(log.get(), 0, SEEK_END), 20'000);
  off_t at = 0;
  EXPECT_EQ(::sendfile(log.get(), source.get(), &at, 300), 300);
  EXPECT_EQ(tap_->slot(stream).lost[FTAP_LOSS_UNCAPTURED], 300U);
}

FLOWTAP_EACH_BACKEND(LogTapExt4);

}  // namespace
}  // namespace flowtap
