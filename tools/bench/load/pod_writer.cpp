#include "tools/bench/load/pod_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fd.hpp"
#include "tools/bench/load/line_pipe.hpp"

namespace flowtap::bench {
namespace {

constexpr const char* kWriterArgument = "--pod-writer";

std::uint64_t realtime_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_REALTIME, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

// Fixed width, so that the time costs the writer little.
void put_digits(char* at, std::size_t width, std::uint64_t value) {
  for (std::size_t i = width; i > 0; --i, value /= 10) at[i - 1] = static_cast<char>('0' + value % 10);
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

Worker::Job writes_lines() {
  return [number = std::uint64_t{0}](const Order& order) mutable {
    std::array<char, kLine> line{};
    line.fill('x');
    line[kTimeDigits] = ' ';
    line[kTimeDigits + 11] = ' ';
    line.back() = '\n';
    return at_pace(order, [&](std::uint64_t n) {
      for (; n > 0; --n) {
        put_digits(line.data() + kTimeDigits + 1, 10, number++);
        put_digits(line.data(), kTimeDigits, realtime_ns());
        if (::write(STDOUT_FILENO, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
          return false;
      }
      return true;
    });
  };
}

/// The runtime's file, and its predecessors.
class CriFile {
 public:
  CriFile(std::string path, int file, std::uint64_t rotated_at)
      : path_(std::move(path)), file_(file), rotated_at_(rotated_at) {}

  /// Writes whole lines; the rest goes on with the next call.
  bool write(std::string_view bytes, bool whole) {
    size_ += bytes.size();
    return write_all(file_, bytes) && (rotated_at_ == 0 || size_ < rotated_at_ || !whole || rotate());
  }

 private:
  // kubelet's containerLogMaxFiles, including the file that is being written.
  static constexpr std::uint64_t kKept = 5;

  // Not compressed: kubelet does that beside the runtime, and later.
  bool rotate() {
    size_ = 0;
    ++rotations_;
    if (rotations_ >= kKept) ::unlink(name(rotations_ + 1 - kKept).c_str());
    const bool moved = ::rename(path_.c_str(), name(rotations_).c_str()) == 0;
    const Fd next(::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    return moved && next.valid() && ::dup2(next.get(), file_) == file_;
  }
  [[nodiscard]] std::string name(std::uint64_t n) const { return fmt::format("{}.{:06}", path_, n); }

  std::string path_;
  int file_;
  std::uint64_t rotated_at_;
  std::uint64_t size_ = 0;
  std::uint64_t rotations_ = 0;
};

// Does the work of a runtime, but with one write for everything that one read has brought, as this is not measured.
Worker::Job writes_cri(int pipe, CriFile file) {
  return [pipe, file = std::move(file), buffer = std::vector<char>(kShimRead),
          cri = std::string()](const Order& order) mutable {
    std::size_t in_line = 0;
    for (std::uint64_t left = order.times * kLine; left > 0;) {
      const ssize_t n = ::read(pipe, buffer.data(), std::min<std::uint64_t>(buffer.size(), left));
      if (n <= 0) return false;
      left -= static_cast<std::uint64_t>(n);
      cri.clear();
      timespec now{};
      ::clock_gettime(CLOCK_REALTIME, &now);
      tm utc{};
      ::gmtime_r(&now.tv_sec, &utc);
      const std::string head =
          fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:09}Z stdout F ", utc.tm_year + 1900,
                      utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, now.tv_nsec);
      for (std::string_view bytes(buffer.data(), static_cast<std::size_t>(n)); !bytes.empty();) {
        if (in_line == 0) cri += head;
        const std::string_view part = bytes.substr(0, kLine - in_line);
        cri += part;
        in_line = (in_line + part.size()) % kLine;
        bytes.remove_prefix(part.size());
      }
      if (!file.write(cri, in_line == 0)) return false;
    }
    return true;
  };
}

}  // namespace

void PodWriter::be_one(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[1]) == kWriterArgument)
    Worker::serve(std::atoi(argv[2]), std::atoi(argv[3]), writes_lines());
}

Result<std::unique_ptr<PodWriter>> PodWriter::start(const std::string& cri_file, std::uint64_t rotated_at) {
  std::unique_ptr<PodWriter> self(new PodWriter);
  FTAP_TRY_ASSIGN(cgroups, PodCgroups::make());
  self->cgroups_ = std::move(cgroups);
  FTAP_TRY_ASSIGN(cgroup, self->cgroups_->add(0));
  const Fd file(::open(cri_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644));
  if (!file.valid()) return fail_errno(errno, "cannot make " + cri_file);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno(errno, "cannot make a pipe");
  const Fd in(ends[1]);
  const Fd out(ends[0]);
  FTAP_TRY_ASSIGN(runtime, Worker::start(writes_cri(out.get(), {cri_file, file.get(), rotated_at})));
  self->runtime_ = std::move(runtime);
  FTAP_TRY_ASSIGN(writer, Worker::start_child([&](int orders, int answers) {
                    enter_pod(cgroup, in.get());
                    ::execl("/proc/self/exe", "pod", kWriterArgument, std::to_string(orders).c_str(),
                            std::to_string(answers).c_str(), nullptr);
                  }));
  self->writer_ = std::move(writer);
  return self;
}

// The writer ends first, as that ends the stream.
PodWriter::~PodWriter() {
  writer_.reset();
  runtime_.reset();
}

Status PodWriter::pass(const Order& order) {
  FTAP_TRY(runtime_->order(order));
  FTAP_TRY(writer_->order(order));
  FTAP_TRY(writer_->wait());
  FTAP_TRY(runtime_->wait());
  lines_ += order.times;
  return {};
}

}  // namespace flowtap::bench
