#include "stream/repair/runtime_files/saved_log.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>

#include "base/utf8.hpp"
#include "stream/lines/klog/klog_record.hpp"
#include "stream/repair/runtime_files/gz_stream.hpp"
#include "stream/repair/runtime_files/runtime_lines.hpp"

namespace flowtap::flow {
namespace {

constexpr std::string_view kGzip = "\x1f\x8b";

/// Other formats that people pack logs with, and the command that unpacks each.
struct Packed {
  std::string_view begin;
  std::string_view name;
  const char* unpack;
};
using namespace std::string_view_literals;  // some begin with bytes of 0
constexpr std::array kPacked = {Packed{"\x28\xb5\x2f\xfd"sv, "zstd", "zstd -dc"},
                                Packed{"\xfd\x37zXZ\0"sv, "xz", "xz -dc"},
                                Packed{"BZh"sv, "bzip2", "bzip2 -dc"},
                                Packed{"PK\3\4"sv, "zip", "unzip -p"},
                                Packed{"\x37z\xbc\xaf\x27\x1c"sv, "7z", "7z x -so"},
                                Packed{"\x04\x22\x4d\x18"sv, "lz4", "lz4 -dc"},
                                Packed{"LZIP\1"sv, "lzip", "lzip -dc"},
                                Packed{"\x1f\x9d"sv, "compress", "gzip -dc"}};

/// The descriptor's bytes, whose beginning can be looked at before it is read.
class Input {
 public:
  Input(int fd, const std::string& name) : fd_(fd), name_(name) {}

  [[nodiscard]] Result<std::string_view> begin() {
    static constexpr std::size_t kEnough = 8;
    std::array<char, kEnough> piece{};
    while (ahead_.size() < kEnough) {
      FTAP_TRY_ASSIGN(n, read_more(std::as_writable_bytes(std::span(piece))));
      if (n == 0) break;
      ahead_.append(piece.data(), n);
    }
    return std::string_view(ahead_);
  }

  [[nodiscard]] Result<std::size_t> read(std::span<std::byte> into) {
    if (ahead_.empty()) return read_more(into);
    const std::size_t n = std::min(into.size(), ahead_.size());
    std::memcpy(into.data(), ahead_.data(), n);
    ahead_.erase(0, n);
    return n;
  }

 private:
  [[nodiscard]] Result<std::size_t> read_more(std::span<std::byte> into) const {
    while (true) {
      const ssize_t n = ::read(fd_, into.data(), into.size());
      if (n >= 0) return static_cast<std::size_t>(n);
      if (errno != EINTR) return fail_errno(errno, "cannot read " + name_);
    }
  }

  int fd_;
  const std::string& name_;
  std::string ahead_;
};

/// Reads until `into` is full or there is no more. `broken` is set if an error is the reason.
std::string_view fill(const GzStream::Input& bytes, std::string& into, std::optional<Error>& broken) {
  std::size_t filled = 0;
  while (filled < into.size() && !broken) {
    const auto n = bytes(std::as_writable_bytes(std::span(into).subspan(filled)));
    if (!n)
      broken = n.error();
    else if (*n == 0)
      break;
    filled += n.value_or(0);
  }
  return std::string_view(into).substr(0, filled);
}

Result<GzStream::Input> unzipped(Input& input, const std::string& name) {
  FTAP_TRY_ASSIGN(begin, input.begin());
  for (const Packed& packed : kPacked)
    if (begin.starts_with(packed.begin))
      return fail(name + " is packed with " + std::string(packed.name) + ", and only gzip can be read",
                  "unpack it first: " + std::string(packed.unpack));
  GzStream::Input raw = [&input](std::span<std::byte> into) { return input.read(into); };
  if (!begin.starts_with(kGzip)) return raw;
  // It is shared, since a function can be copied.
  return [gz = std::make_shared<GzStream>(std::move(raw), name)](std::span<std::byte> into) {
    return gz->read(into);
  };
}

// Docker keeps a line's newline. Log collectors write objects with the same members, most of them without it, and the others say
// whose line it is.
bool is_of_docker(std::string_view line) {
  if (line.contains(R"("kubernetes":)")) return false;
  RuntimeLineParser parser(RuntimeFormat::kJsonFile);
  const auto parsed = parser.parse(line);
  return parsed && (parsed->full || parsed->text.size() >= kMaxLine);
}

std::optional<RuntimeFormat> format_of(std::string_view line) {
  if (RuntimeLineParser(RuntimeFormat::kCri).parse(line)) return RuntimeFormat::kCri;
  return is_of_docker(line) ? std::optional(RuntimeFormat::kJsonFile) : std::nullopt;
}

// Whether a screen or a mail has broken the file's lines: what is not of its format stands behind a line that is as wide as any, of
// which a copy may have lost a blank, or there is much of it. Only klog's records and objects are put together again behind a
// prefix, and of a table of events a reader would have less than from the lines that are whole.
bool has_broken_lines(std::string_view begin, RuntimeFormat format) {
  constexpr std::size_t kNarrowest = 40;
  constexpr std::size_t kMuch = 4;  // one line of so many
  std::size_t lines = 0;
  std::size_t rests = 0;
  std::size_t widest = 0;
  std::size_t widest_broken = 0;
  std::size_t before = 0;
  const bool can_be_joined = begin.contains(".go:") || begin.contains("involvedObject");
  RuntimeLineParser parser(format);
  // The first line may be the end of one, and so may the last one that has no newline be the beginning of one.
  for (std::size_t end = 0; (end = begin.find('\n')) != std::string_view::npos;
       begin.remove_prefix(end + 1)) {
    std::string_view line = begin.substr(0, end);
    while (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t width = utf8_length(line);
    if (lines > 0 && !line.empty() && !parser.parse(line) && !begins_klog_record(line)) {
      ++rests;
      widest_broken = std::max(widest_broken, before);
    }
    ++lines;
    widest = std::max(widest, width);
    before = width;
  }
  const bool at_width = widest_broken >= kNarrowest && widest_broken + 1 >= widest;
  return can_be_joined && (at_width || kMuch * rests > lines);
}

}  // namespace

std::optional<RuntimeFormat> saved_format(std::string_view begin) {
  for (std::string_view rest = begin; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    if (const auto format = format_of(line)) return has_broken_lines(begin, *format) ? std::nullopt : format;
    if (begins_klog_record(line)) return std::nullopt;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return std::nullopt;
}

SavedLog read_saved_log(
    int fd, const std::string& name,
    const std::function<void(std::string_view output, std::string_view bytes, std::uint64_t time)>& take) {
  SavedLog read;
  Input input(fd, name);
  const auto bytes = unzipped(input, name);
  if (!bytes) {
    read.broken = bytes.error();
    return read;
  }
  std::string block(RuntimeLines::kMostHeld, '\0');
  std::string_view filled = fill(*bytes, block, read.broken);
  const auto format = saved_format(filled);
  std::optional<RuntimeLines> lines;
  if (format) lines.emplace(*format);
  const auto give = [&take](const RuntimeLine& line) {
    take(line.output, line.text, line.time);
    if (line.full) take(line.output, "\n", line.time);
  };
  bool ends_a_line = true;
  for (; !filled.empty(); filled = read.broken ? "" : fill(*bytes, block, read.broken)) {
    read.bytes += filled.size();
    ends_a_line = filled.ends_with('\n');
    if (lines)
      lines->add(filled, give);
    else
      take("", filled, 0);
  }
  if (!lines) return read;
  // If the file was not cut, its last line is whole even without a newline.
  if (!read.broken && !ends_a_line) lines->add("\n", give);
  lines->finish();
  read.skipped = lines->skipped();
  return read;
}

}  // namespace flowtap::flow
