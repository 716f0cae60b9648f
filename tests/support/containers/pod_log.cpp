#include "tests/support/containers/pod_log.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "base/rfc3339.hpp"

namespace flowtap::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestLine = 16'384;  // the longest text of one record
constexpr const char* kCompressed = ".gz";

// The end comes when the last writer has gone, but not before the first one has come.
Fd make_fifo(const std::string& path) {
  Fd fd;
  if (::mkfifo(path.c_str(), 0600) == 0) fd = Fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!fd.valid()) throw std::runtime_error("cannot make " + path);
  return fd;
}

void compress(const std::string& log) {
  const std::string text = uncompressed(log);
  const std::string made = log + ".tmp";
  const gzFile out = ::gzopen(made.c_str(), "wb");
  const auto size = static_cast<unsigned>(text.size());
  const bool written = out != nullptr && ::gzwrite(out, text.data(), size) == static_cast<int>(size);
  if (::gzclose(out) != Z_OK || !written) throw std::runtime_error("cannot compress " + log);
  fs::rename(made, log + kCompressed);
  fs::remove(log);
}

}  // namespace

CriLog::CriLog(std::string log, const std::string& out, const std::string& err)
    : path_(std::move(log)),
      outputs_{Output{"stdout", make_fifo(out), {}}, Output{"stderr", make_fifo(err), {}}},
      stop_(::eventfd(0, EFD_CLOEXEC)) {
  fs::create_directories(fs::path(path_).parent_path());
  reopen();
  thread_ = std::thread([this] { run(); });
}

CriLog::~CriLog() {
  const std::uint64_t once = 1;
  (void)!::write(stop_.get(), &once, sizeof(once));
  if (thread_.joinable()) thread_.join();
}

void CriLog::reopen() {
  const std::scoped_lock lock(mutex_);
  log_ = std::ofstream(path_, std::ios::app | std::ios::binary);
  if (!log_) throw std::runtime_error("cannot open " + path_);
}

void CriLog::wait() {
  thread_.join();
}

void CriLog::run() {
  std::string buffer(std::size_t{32} << 10U, '\0');
  while (outputs_[0].fifo.valid() || outputs_[1].fifo.valid()) {
    std::array<pollfd, 3> fds{
        {{outputs_[0].fifo.get(), POLLIN, 0}, {outputs_[1].fifo.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}}};
    (void)::poll(fds.data(), fds.size(), -1);
    if (fds[2].revents != 0) return;
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      Output& output = outputs_.at(i);
      if (fds.at(i).revents == 0) continue;
      const ssize_t n = ::read(output.fifo.get(), buffer.data(), buffer.size());
      if (n > 0) take(output, std::string_view(buffer).substr(0, static_cast<std::size_t>(n)));
      if (n != 0) continue;
      if (!output.rest.empty()) put(output.name, 'P', output.rest);
      output.fifo.reset();
    }
  }
}

void CriLog::take(Output& output, std::string_view bytes) {
  output.rest += bytes;
  std::size_t begin = 0;
  while (true) {
    const std::size_t newline = output.rest.find('\n', begin);
    const std::size_t length = std::min(newline, output.rest.size()) - begin;
    if (length >= kLongestLine) {
      put(output.name, 'P', std::string_view(output.rest).substr(begin, kLongestLine));
      begin += kLongestLine;
    } else if (newline != std::string::npos) {
      put(output.name, 'F', std::string_view(output.rest).substr(begin, length));
      begin = newline + 1;
    } else {
      break;
    }
  }
  output.rest.erase(0, begin);
  const std::scoped_lock lock(mutex_);
  log_.flush();
}

void CriLog::put(const char* output, char tag, std::string_view text) {
  const std::scoped_lock lock(mutex_);
  log_ << rfc3339_nano(std::chrono::system_clock::now()) << ' ' << output << ' ' << tag << ' ' << text
       << '\n';
}

std::vector<std::string> KubeletRotation::rotated() const {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(fs::path(log_).parent_path()))
    if (entry.path().string().starts_with(log_ + ".")) found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

std::vector<std::string> KubeletRotation::files() const {
  auto all = rotated();
  all.push_back(log_);
  return all;
}

void KubeletRotation::rotate() {
  auto logs = rotated();
  // Room for the file that is being written and for the one that it becomes.
  const std::size_t kept = max_files_ - 2;
  const auto excess = logs.size() > kept ? logs.size() - kept : 0;
  for (std::size_t i = 0; i < excess; ++i) fs::remove(logs.at(i));
  for (std::size_t i = excess; i < logs.size(); ++i)
    if (!logs.at(i).ends_with(kCompressed)) compress(logs.at(i));
  const std::time_t then = std::time(nullptr) + static_cast<std::time_t>(10 * ++rotations_);
  fs::rename(log_, fmt::format("{}.{:%Y%m%d-%H%M%S}", log_, fmt::gmtime(then)));
  reopen_();
}

std::string uncompressed(const std::string& file) {
  // It also reads uncompressed files.
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> in(::gzopen(file.c_str(), "rb"), ::gzclose);
  std::string text;
  std::string buffer(std::size_t{64} << 10U, '\0');
  for (int n = 0; in && (n = ::gzread(in.get(), buffer.data(), static_cast<unsigned>(buffer.size()))) > 0;)
    text.append(buffer, 0, static_cast<std::size_t>(n));
  return text;
}

}  // namespace flowtap::test
