#include "kernel/records/record.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace flowtap::flow {
namespace {

// The layout as the first build wrote it. Later ones only add at the end, so this much is always there, and a record
// that an older build left is as good as one of ours.
constexpr std::size_t kFirstHeader = 40;
constexpr std::size_t kFirstEnter = 344;
constexpr std::size_t kFirstEnd = 32;

static_assert(sizeof(ftap_log_record) >= kFirstHeader && sizeof(ftap_log_record) % 8 == 0);
static_assert(offsetof(ftap_log_record, size) == 4 && offsetof(ftap_log_record, stream) == 8 &&
              offsetof(ftap_log_record, position) == 32);
static_assert(sizeof(ftap_log_output) == 24 && sizeof(ftap_log_target) == 16);
static_assert(sizeof(ftap_log_enter) >= kFirstEnter && offsetof(ftap_log_enter, output) == 24 &&
              offsetof(ftap_log_enter, comm) == 72 && offsetof(ftap_log_enter, cgroup_name) == 88 &&
              offsetof(ftap_log_enter, parent_name) == 216);
static_assert(sizeof(ftap_log_end) >= kFirstEnd);
static_assert(sizeof(ftap_stream) == 128, "two cache lines: programs and userspace share the array");
static_assert(sizeof(ftap_log_control) == 72);

/// Copies as much of a T as there is. The rest is zero, which is what a build means that did not know a field.
template <typename T>
T copy_out(std::span<const std::byte> raw) {
  T value{};
  std::memcpy(&value, raw.data(), std::min(raw.size(), sizeof value));
  return value;
}

template <std::size_t N>
std::string text_of(const char (&field)[N]) {
  return {field, ::strnlen(field, N)};
}

template <std::size_t N>
void put_text(char (&field)[N], const std::string& text) {
  std::memcpy(field, text.data(), std::min(text.size(), N));
}

Result<Enter> enter_of(std::span<const std::byte> payload) {
  if (payload.size() < kFirstEnter)
    return fail("an ENTER record has " + std::to_string(payload.size()) + " bytes of payload, fewer than " +
                std::to_string(kFirstEnter));
  const auto raw = copy_out<ftap_log_enter>(payload);
  Enter enter;
  enter.cgroup = raw.cgroup;
  enter.start_time = raw.start_time;
  enter.pid = raw.pid;
  if (raw.rule > FTAP_RULE_PROCESS)
    return fail("an ENTER record was written by the unknown rule " + std::to_string(raw.rule));
  enter.rule = static_cast<ftap_log_rule>(raw.rule);
  for (std::size_t i = 0; i < enter.outputs.size(); ++i) {
    const ftap_log_output& from = raw.output[i];
    if (from.kind > FTAP_KIND_OTHER)
      return fail("an ENTER record has an output of the unknown kind " + std::to_string(from.kind));
    enter.outputs[i] = {from.stream, from.ino, from.dev, static_cast<ftap_log_kind>(from.kind)};
  }
  enter.comm = text_of(raw.comm);
  enter.cgroup_name = text_of(raw.cgroup_name);
  enter.parent_name = text_of(raw.parent_name);
  enter.users_names = raw.users_names != 0;
  enter.nested = raw.nested != 0;
  return enter;
}

Result<Bytes> bytes_of(const ftap_log_record& header, std::span<const std::byte> payload) {
  if (header.stream == 0) return fail("a BYTES record belongs to no stream");
  if (header.offset > std::numeric_limits<std::uint64_t>::max() - payload.size())
    return fail("a BYTES record ends behind the highest offset");
  return Bytes{header.stream, header.offset, header.position, payload};
}

Result<End> end_of(const ftap_log_record& header, std::span<const std::byte> payload) {
  if (header.stream == 0) return fail("an END record belongs to no stream");
  if (payload.size() < kFirstEnd)
    return fail("an END record has " + std::to_string(payload.size()) + " bytes of payload, fewer than " +
                std::to_string(kFirstEnd));
  const auto raw = copy_out<ftap_log_end>(payload);
  End end{header.stream, header.offset, {}};
  std::ranges::copy(raw.lost, end.lost.begin());
  return end;
}

void append(std::vector<std::byte>& out, const void* from, std::size_t size) {
  const auto* bytes = static_cast<const std::byte*>(from);
  out.insert(out.end(), bytes, bytes + size);
}

void put(std::vector<std::byte>& out, ftap_log_record header, ftap_log_type type, const void* payload,
         std::size_t size) {
  header.header_size = sizeof header;
  header.type = static_cast<std::uint16_t>(type);
  header.size = static_cast<std::uint32_t>(size);
  append(out, &header, sizeof header);
  if (size > 0) append(out, payload, size);
}

void put_enter(std::vector<std::byte>& out, const ftap_log_record& header, const Enter& enter) {
  ftap_log_enter raw{};
  raw.cgroup = enter.cgroup;
  raw.start_time = enter.start_time;
  raw.pid = enter.pid;
  raw.rule = enter.rule;
  for (std::size_t i = 0; i < enter.outputs.size(); ++i) {
    const auto& from = enter.outputs[i];
    raw.output[i] = {from.stream, from.inode, from.device, static_cast<std::uint16_t>(from.kind), 0};
  }
  put_text(raw.comm, enter.comm);
  put_text(raw.cgroup_name, enter.cgroup_name);
  put_text(raw.parent_name, enter.parent_name);
  raw.users_names = enter.users_names ? 1 : 0;
  raw.nested = enter.nested ? 1 : 0;
  put(out, header, FTAP_LOG_ENTER, &raw, sizeof raw);
}

}  // namespace

Result<Record> parse_record(std::span<const std::byte> raw) {
  if (raw.size() < kFirstHeader)
    return fail("a record has " + std::to_string(raw.size()) + " bytes, fewer than its header");
  const auto head = copy_out<ftap_log_record>(raw.first(kFirstHeader));
  if (head.header_size < kFirstHeader || head.header_size > raw.size())
    return fail("a record's header says that it has " + std::to_string(head.header_size) + " bytes, of " +
                std::to_string(raw.size()));
  const auto header = copy_out<ftap_log_record>(raw.first(head.header_size));
  const auto behind = raw.subspan(header.header_size);
  // More may follow: the ring's programs reserve in steps.
  if (header.size > behind.size())
    return fail("a record says that it has " + std::to_string(header.size) + " bytes of payload, of " +
                std::to_string(behind.size()));
  const auto payload = behind.first(header.size);
  Record record{header.time, {}};
  switch (header.type) {
    case FTAP_LOG_ENTER: {
      FTAP_TRY_ASSIGN(enter, enter_of(payload));
      record.what = std::move(enter);
      return record;
    }
    case FTAP_LOG_BYTES: {
      FTAP_TRY_ASSIGN(bytes, bytes_of(header, payload));
      record.what = bytes;
      return record;
    }
    case FTAP_LOG_END: {
      FTAP_TRY_ASSIGN(end, end_of(header, payload));
      record.what = end;
      return record;
    }
    case FTAP_LOG_CGROUP_GONE:
      if (payload.size() < sizeof(std::uint64_t)) return fail("a CGROUP_GONE record names no cgroup");
      record.what = CgroupGone{copy_out<std::uint64_t>(payload)};
      return record;
    default:
      return fail("a record has the unknown type " + std::to_string(header.type));
  }
}

void render_record(const Record& record, std::vector<std::byte>& out) {
  ftap_log_record header{};
  header.time = record.time;
  if (const auto* enter = std::get_if<Enter>(&record.what)) {
    put_enter(out, header, *enter);
  } else if (const auto* bytes = std::get_if<Bytes>(&record.what)) {
    header.stream = bytes->stream;
    header.offset = bytes->offset;
    header.position = bytes->position;
    put(out, header, FTAP_LOG_BYTES, bytes->bytes.data(), bytes->bytes.size());
  } else if (const auto* end = std::get_if<End>(&record.what)) {
    header.stream = end->stream;
    header.offset = end->passed;
    ftap_log_end raw{};
    std::ranges::copy(end->lost, raw.lost);
    put(out, header, FTAP_LOG_END, &raw, sizeof raw);
  } else if (const auto* gone = std::get_if<CgroupGone>(&record.what)) {
    put(out, header, FTAP_LOG_CGROUP_GONE, &gone->cgroup, sizeof gone->cgroup);
  }
}

}  // namespace flowtap::flow
