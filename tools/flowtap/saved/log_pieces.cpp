#include "log_pieces.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string_view>

#include "base/file.hpp"
#include "explain/diagnosis/facts/fact_parser.hpp"
#include "saved_file.hpp"
#include "stream/lines/line_assembler.hpp"
#include "stream/lines/whole_records.hpp"
#include "unwrap/order/time_order.hpp"

namespace flowtap::cli {
namespace {

constexpr const char* kCopy = "a temporary file for a log that comes out of a pipe";

class SpanReader {
  [[nodiscard]] auto reads() {
    return [this](const flow::WholeRecord& record) { read(record.klog); };
  }

 public:
  void add(const SavedLine& line) {
    const auto take = [this](const flow::LineView& whole) { records_.add(whole, reads()); };
    lines_.add(line.text, line.time, take);
    if (line.full) lines_.add("\n", line.time, take);
  }
  [[nodiscard]] const PieceSpan& span() {
    records_.flush(reads());
    return span_;
  }

 private:
  void read(const std::optional<flow::KlogRecord>& record) {
    if (!record) return;
    if (const flow::KlogTime time = flow::klog_time(*record)) {
      if (!span_.first) span_.first = time;
      if (!flow::is_earlier(time, span_.last)) span_.last = time;
    }
    if (span_.scheduler != nullptr) return;
    if (const auto facts = parser_.parse(*record); !facts.empty()) span_.scheduler = facts.front().scheduler;
  }

  flow::LineAssembler lines_;
  flow::WholeRecords records_;
  diagnosis::FactParser parser_;
  PieceSpan span_;
};

flow::KlogTime begin_of(const PieceSpans& spans) {
  flow::KlogTime begin;
  for (const auto& [output, span] : spans)
    if (!begin || flow::is_earlier(span.first, begin)) begin = span.first;
  return begin;
}

}  // namespace

bool PieceSpan::follows(const PieceSpan& before) const {
  // A piece may have no facts.
  const bool same = scheduler == nullptr || before.scheduler == nullptr || scheduler == before.scheduler;
  return same && first && before.last && flow::micros_between(first, before.last) <= TimeSteps::kOutOfOrder;
}

std::string log_name(std::string_view output, std::string_view source) {
  return std::string(output).append(1, '\0').append(source);
}

PieceSpans spans_of(int fd, const std::string& name) {
  std::map<std::string, SpanReader, std::less<>> readers;
  // Errors are reported when the file is read for good.
  static_cast<void>(read_saved_file(fd, name, [&readers](std::string_view output, const SavedLine& line) {
    if (is_schedulers(line.kind)) readers.try_emplace(log_name(output, line.source)).first->second.add(line);
  }));
  ::lseek(fd, 0, SEEK_SET);
  PieceSpans spans;
  for (auto& [log, reader] : readers) spans.emplace(log, reader.span());
  return spans;
}

bool begins_earlier(const PieceSpans& a, const PieceSpans& b) {
  const flow::KlogTime first = begin_of(a);
  const flow::KlogTime second = begin_of(b);
  return first && second ? flow::is_earlier(first, second) : first.has_value() && !second;
}

Result<Fd> rereadable(Fd fd, const std::string& name) {
  if (::lseek(fd.get(), 0, SEEK_CUR) >= 0) return fd;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  Fd copy(file ? ::fcntl(::fileno(file.get()), F_DUPFD_CLOEXEC, 0) : -1);
  if (!copy.valid()) return fail_errno(errno, std::string("cannot make ") + kCopy);
  std::array<char, std::size_t{64} << 10U> block{};
  while (true) {
    const ssize_t n = ::read(fd.get(), block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno(errno, "cannot read " + name);
    if (n == 0) break;
    FTAP_TRY(write_all(copy.get(), {block.data(), static_cast<std::size_t>(n)}, kCopy));
  }
  ::lseek(copy.get(), 0, SEEK_SET);
  return copy;
}

}  // namespace flowtap::cli
