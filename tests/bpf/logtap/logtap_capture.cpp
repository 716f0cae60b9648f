#include "tests/bpf/logtap/logtap_capture.hpp"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <stdexcept>

#include "tests/support/log_target.hpp"
#include "tests/support/must.hpp"

namespace flowtap::test {
namespace {

// Pages that the kernel has taken from a process for a moment, to put them elsewhere: several hundred at once when it
// compacts memory. A program that copies from such a page then cannot wait for it, and counts the bytes as
// FTAP_LOSS_FAULT.
std::uint64_t pages_moved() {
  static constexpr std::array kMoves{"pgmigrate_success", "pgmigrate_fail", "thp_collapse_alloc",
                                     "thp_split_page",    "thp_split_pmd",  "numa_pte_updates"};
  std::ifstream vmstat("/proc/vmstat");
  std::uint64_t moved = 0;
  std::string name;
  for (std::uint64_t count = 0; vmstat >> name >> count;)
    if (std::ranges::any_of(kMoves, [&name](const char* move) { return name == move; })) moved += count;
  return moved;
}

// Whether all that a stream lacks is accounted for, and all of it as bytes that could not be copied, as far as the
// stream has ended.
bool counted_as_faults(const CapturedStream& got) {
  return got.ends.empty() || got.captured() + got.ends[0].lost[FTAP_LOSS_FAULT] == got.ends[0].passed;
}

}  // namespace

std::string CapturedStream::whole() const {
  std::string bytes;
  for (const auto& [offset, piece] : pieces) {
    if (offset != bytes.size()) {
      ADD_FAILURE() << "a gap from " << bytes.size() << " to " << offset;
      break;
    }
    bytes += piece;
  }
  return bytes;
}

std::uint64_t CapturedStream::captured() const {
  std::uint64_t bytes = 0;
  for (const auto& [offset, piece] : pieces) bytes += piece.size();
  return bytes;
}

std::uint64_t CapturedStream::missing(std::uint64_t passed) const {
  std::uint64_t bytes = 0;
  std::uint64_t next = 0;
  for (const auto& [offset, piece] : pieces) {
    bytes += offset - next;
    next = offset + piece.size();
  }
  return bytes + passed - next;
}

std::optional<std::size_t> CapturedStream::found_in(const std::string& text, std::size_t from) const {
  std::size_t at = from;
  for (const auto& [offset, piece] : pieces) {
    at = text.find(piece, at);
    if (at == std::string::npos) return std::nullopt;
    at += piece.size();
  }
  return at;
}

std::string CapturedStream::as_file() const {
  std::string file;
  for (const auto& [offset, piece] : pieces) {
    const std::uint64_t at = positions.at(offset);
    if (file.size() < at + piece.size()) file.resize(at + piece.size(), '\0');
    file.replace(at, piece.size(), piece);
  }
  return file;
}

void Captured::add(std::span<const std::byte> raw) {
  const auto record = flow::parse_record(raw);
  ASSERT_TRUE(record) << record.error().what;
  if (const auto* bytes = std::get_if<flow::Bytes>(&record->what)) {
    CapturedStream& stream = streams_[bytes->stream];
    const std::string text(reinterpret_cast<const char*>(bytes->bytes.data()), bytes->bytes.size());
    EXPECT_TRUE(stream.pieces.emplace(bytes->offset, text).second) << "twice at " << bytes->offset;
    stream.positions.emplace(bytes->offset, bytes->position);
  } else if (const auto* end = std::get_if<flow::End>(&record->what)) {
    streams_[end->stream].ends.push_back(*end);
  } else if (const auto* enter = std::get_if<flow::Enter>(&record->what)) {
    enters_.push_back(*enter);
  } else if (const auto* gone = std::get_if<flow::CgroupGone>(&record->what)) {
    gone_.push_back(gone->cgroup);
  }
}

const CapturedStream& Captured::of(flow::StreamNo stream) const {
  static const CapturedStream kNothing;
  const auto found = streams_.find(stream);
  return found == streams_.end() ? kNothing : found->second;
}

kernel::LogTarget target_of(int fd, ftap_log_kind kind) {
  return must(log_target(fd, kind));
}

RunningTap::RunningTap(std::uint32_t ring_bytes, kernel::LogBackend backend, std::optional<bool> seconds) {
  kernel::LogOptions options;
  options.ring_bytes = ring_bytes;
  options.bpffs.clear();
  options.backend = backend;
  options.seconds = seconds;
  live_ = must(kernel::start_log_tap(options));
  ring_ = must(live_->ring());
  streams_ = must(live_->streams());
}

flow::StreamNo RunningTap::tap(int fd, ftap_log_kind kind) {
  const kernel::LogTarget target = target_of(fd, kind);
  // A file or terminal of an earlier test may have had the number.
  for (const kernel::LogStream& slot : streams_->sweep()) {
    if ((kind == FTAP_KIND_FILE || kind == FTAP_KIND_TTY) && slot.target.inode == target.inode)
      must(streams_->end(slot));
  }
  return must(streams_->open(target));
}

const Captured& RunningTap::captured() {
  while (true) {
    const flow::RingPosition end =
        must(ring_->drain(1U << 20U, [this](std::span<const std::byte> raw) { captured_.add(raw); }));
    if (end == ring_->position()) break;
    ring_->commit(end);
  }
  streams_->beat();
  return captured_;
}

kernel::LogStream RunningTap::slot(flow::StreamNo stream) {
  for (const kernel::LogStream& slot : streams_->sweep())
    if (slot.stream == stream) return slot;
  ADD_FAILURE() << "stream " << stream << " has no slot";
  return {};
}

std::uint64_t RunningTap::missed() const {
  return misses().unseen + streams_->unsure();
}

kernel::LogMisses RunningTap::misses() const {
  const auto programs = live_->program_stats(false);
  for (const auto& program : programs) EXPECT_TRUE(program) << program.error().what;
  return kernel::count_misses(programs).value();
}

std::string refusal(kernel::LogBackend backend) {
  if (backend != kernel::LogBackend::kFunctions) return {};
  // The smallest program at a function: to verify the tap's own takes seconds where the machine is emulated.
  static const int kError = [] {
    const std::array<bpf_insn, 2> nothing{
        bpf_insn{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .src_reg = 0, .off = 0, .imm = 0},
        bpf_insn{.code = BPF_JMP | BPF_EXIT, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0}};
    const int function = libbpf_find_vmlinux_btf_id("tty_write", BPF_TRACE_FEXIT);
    if (function < 0) throw std::runtime_error("the kernel has no function tty_write");
    LIBBPF_OPTS(bpf_prog_load_opts, options);
    options.expected_attach_type = BPF_TRACE_FEXIT;
    options.attach_btf_id = static_cast<std::uint32_t>(function);
    const Fd program(::bpf_prog_load(BPF_PROG_TYPE_TRACING, "ftap_probe", "GPL", nothing.data(),
                                     nothing.size(), &options));
    return program.valid() ? 0 : errno;
  }();
  if (kError == 0) return {};
  if (kError != EPERM) throw std::runtime_error("cannot load a program at a function: " + errno_text(kError));
  return "this kernel takes no programs at functions: " + errno_text(kError);
}

void TapTest::SetUp() {
  FLOWTAP_SKIP_IF_REFUSED(GetParam());
  static std::map<kernel::LogBackend, RunningTap> taps;
  taps.try_emplace(GetParam(), 64U << 20U, GetParam());
  tap_ = &taps.at(GetParam());
  missed_before_ = tap_->missed();
  moved_before_ = pages_moved();
}

bool TapTest::suspect() const {
  const bool missed = tap_->missed() != missed_before_;
  EXPECT_TRUE(!missed || may_miss() || GetParam() == kernel::LogBackend::kFunctions);
  return missed;
}

bool TapTest::expect_all(const CapturedStream& got, const std::string& text, std::size_t one_event) const {
  const bool missed = suspect();
  if (got.captured() != text.size() &&
      (missed || (counted_as_faults(got) && pages_moved() != moved_before_))) {
    expect_most("captured", got.captured(), text.size(), one_event);
    EXPECT_TRUE(got.found_in(text)) << "what was captured is not what was written";
    return false;
  }
  EXPECT_TRUE(got.whole() == text) << got.captured() << " of " << text.size() << " bytes";
  return !missed;
}

}  // namespace flowtap::test
