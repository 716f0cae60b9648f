#include "tools/bench/measure/line_reader.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <exception>
#include <string_view>

#include "tools/bench/load/line_pipe.hpp"
#include "tools/bench/load/pod_writer.hpp"

namespace flowtap::bench {

Result<std::unique_ptr<LineReader>> LineReader::start(const std::vector<std::string>& argv,
                                                      const std::string& errors, std::uint64_t first) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno(errno, "cannot make a pipe");
  std::unique_ptr<LineReader> self(new LineReader);
  self->first_ = first;
  self->out_ = Fd(ends[0]);
  const Fd in(ends[1]);
  std::vector<std::string> words{"/usr/bin/env"};
  words.insert(words.end(), argv.begin(), argv.end());
  try {
    self->process_ = std::make_unique<test::Process>(
        test::Command{.argv = words, .out = "/dev/null", .err = errors, .before_exec = [&in] {
                        if (::dup2(in.get(), STDOUT_FILENO) < 0) ::_exit(126);
                      }});
  } catch (const std::exception& e) {
    return fail(e.what());
  }
  self->reader_ = std::thread([all = self.get()] { all->read_all(); });
  return self;
}

LineReader::~LineReader() {
  process_.reset();  // the pipe ends with the process
  if (reader_.joinable()) reader_.join();
}

void LineReader::read_all() noexcept {
  std::vector<char> buffer(1U << 16U);
  std::string rest;
  for (ssize_t n = 0; (n = ::read(out_.get(), buffer.data(), buffer.size())) > 0;) {
    timespec t{};
    ::clock_gettime(CLOCK_REALTIME, &t);
    const std::uint64_t now =
        static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
    rest.append(buffer.data(), static_cast<std::size_t>(n));
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = rest.find('\n', begin)) != std::string::npos; begin = end + 1)
      take(std::string_view(rest).substr(begin, end - begin), now);
    rest.erase(0, begin);
  }
}

void LineReader::take(std::string_view line, std::uint64_t now) {
  if (line.size() < kLine - 1) return;
  line.remove_prefix(line.size() - (kLine - 1));
  std::uint64_t written = 0;
  std::uint64_t number = 0;
  std::from_chars(line.data(), line.data() + kTimeDigits, written);
  std::from_chars(line.data() + kTimeDigits + 1, line.data() + line.size(), number);
  if (number < next_) {
    ++twice_;
    return;
  }
  next_ = number + 1;
  if (number >= first_)
    ages_us_.push_back(static_cast<std::uint32_t>(now > written ? (now - written) / 1000 : 0));
  ++lines_;
}

double LineReader::age_ms(double part) const {
  if (ages_us_.empty()) return 0;
  std::vector<std::uint32_t> sorted = ages_us_;
  const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(static_cast<double>(sorted.size() - 1) * part);
  std::ranges::nth_element(sorted, at);
  return static_cast<double>(*at) / 1000;
}

}  // namespace flowtap::bench
