// The ring's records: one side reads what the other writes, and what does not fit is an Error.
#include "kernel/records/record.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <utility>
#include <vector>

namespace flowtap::flow {
namespace {

using Raw = std::vector<std::byte>;

// Has no room behind its last byte, so that AddressSanitizer sees who reads on.
Raw exactly(const Raw& raw, std::size_t size) {
  return {raw.begin(), raw.begin() + static_cast<std::ptrdiff_t>(size)};
}

Raw rendered(const Record& record) {
  Raw raw;
  render_record(record, raw);
  return raw;
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

Enter some_enter() {
  Enter enter{77, 123456789, 4242, {}, "worker", "cri-containerd-0123.scope", "kubepods-pod1.slice"};
  enter.outputs[0] = {1, 1001, 13, FTAP_KIND_PIPE};
  enter.outputs[1] = {2, 1002, 13, FTAP_KIND_TTY};
  enter.rule = FTAP_RULE_UNIT;
  enter.users_names = true;
  enter.nested = true;
  return enter;
}

template <typename T>
void set(Raw& raw, std::size_t at, T value) {
  std::memcpy(raw.data() + at, &value, sizeof value);
}

/// The same record from a build whose header and payload are longer.
Raw from_newer_build(const Raw& raw, std::size_t more_header, std::size_t more_payload) {
  Raw newer(raw.begin(), raw.begin() + sizeof(ftap_log_record));
  newer.resize(newer.size() + more_header, std::byte{0xEE});
  newer.insert(newer.end(), raw.begin() + sizeof(ftap_log_record), raw.end());
  newer.resize(newer.size() + more_payload, std::byte{0xDD});
  set(newer, offsetof(ftap_log_record, header_size),
      static_cast<std::uint16_t>(sizeof(ftap_log_record) + more_header));
  set(newer, offsetof(ftap_log_record, size),
      static_cast<std::uint32_t>(raw.size() - sizeof(ftap_log_record) + more_payload));
  return newer;
}

TEST(Record, ReadsWhatWasWritten) {
  const Enter enter = some_enter();
  const End end{9, 5000, {1, 2, 3, 4}};
  const CgroupGone gone{0xFFFFFFFFFFFFFFFF};
  EXPECT_EQ(std::get<Enter>(parse_record(rendered({5, enter})).value().what), enter);
  EXPECT_EQ(std::get<End>(parse_record(rendered({6, end})).value().what), end);
  EXPECT_EQ(std::get<CgroupGone>(parse_record(rendered({7, gone})).value().what), gone);

  const Raw raw = rendered({8, Bytes{3, 100, 4096, bytes_of("hello\n")}});
  const auto record = parse_record(raw).value();
  const auto& bytes = std::get<Bytes>(record.what);
  EXPECT_EQ(record.time, 8U);
  EXPECT_EQ(bytes.stream, 3U);
  EXPECT_EQ(bytes.offset, 100U);
  EXPECT_EQ(bytes.position, 4096U);
  EXPECT_EQ(std::memcmp(bytes.bytes.data(), "hello\n", 6), 0);
  EXPECT_EQ(bytes.bytes.size(), 6U);
}

TEST(Record, StringsMayFillTheirField) {
  Enter enter = some_enter();
  enter.comm = std::string(FTAP_COMM, 'c');
  enter.cgroup_name = std::string(FTAP_CGROUP_NAME, 'n');
  EXPECT_EQ(std::get<Enter>(parse_record(rendered({0, enter})).value().what), enter);
  enter.comm += "cut off";
  EXPECT_EQ(std::get<Enter>(parse_record(rendered({0, enter})).value().what).comm,
            std::string(FTAP_COMM, 'c'));
}

TEST(Record, NewerBuildsMayAddAtTheEnd) {
  const Enter enter = some_enter();
  const End end{9, 5000, {1, 2, 3, 4}};
  EXPECT_EQ(std::get<Enter>(parse_record(from_newer_build(rendered({0, enter}), 16, 64)).value().what),
            enter);
  EXPECT_EQ(std::get<End>(parse_record(from_newer_build(rendered({0, end}), 8, 16)).value().what), end);
  const Raw raw = from_newer_build(rendered({0, Bytes{3, 0, 0, bytes_of("abc")}}), 24, 0);
  EXPECT_EQ(std::get<Bytes>(parse_record(raw).value().what).bytes.size(), 3U);
  EXPECT_EQ(std::get<Bytes>(parse_record(raw).value().what).bytes[0], std::byte{'a'});
}

TEST(Record, RoomBehindThePayloadIsLeftOut) {
  Raw raw = rendered({0, Bytes{3, 0, 0, bytes_of("abc")}});
  raw.resize(raw.size() + 100);
  EXPECT_EQ(std::get<Bytes>(parse_record(raw).value().what).bytes.size(), 3U);
}

TEST(Record, EveryShorterRecordIsAnError) {
  for (const Record& record : {Record{0, some_enter()}, Record{0, End{9, 5, {}}}, Record{0, CgroupGone{1}},
                               Record{0, Bytes{1, 0, 0, bytes_of("x")}}}) {
    const Raw raw = rendered(record);
    for (std::size_t size = 0; size < raw.size(); ++size)
      EXPECT_FALSE(parse_record(exactly(raw, size))) << size << " of " << raw.size();
    ASSERT_TRUE(parse_record(raw));
  }
}

TEST(Record, PayloadsShorterThanTheFirstBuildsAreErrors) {
  const std::vector<std::pair<Record, std::size_t>> first = {
      {{0, some_enter()}, offsetof(ftap_log_enter, users_names)},
      {{0, End{9, 5, {}}}, FTAP_LOSS_UNREAD * sizeof(std::uint64_t)},
      {{0, CgroupGone{1}}, sizeof(std::uint64_t)}};
  for (const auto& [record, size] : first) {
    Raw raw = rendered(record);
    raw.resize(sizeof(ftap_log_record) + size);
    set(raw, offsetof(ftap_log_record, size), static_cast<std::uint32_t>(size));
    EXPECT_TRUE(parse_record(exactly(raw, raw.size())));
    set(raw, offsetof(ftap_log_record, size), static_cast<std::uint32_t>(size - 1));
    EXPECT_FALSE(parse_record(exactly(raw, raw.size())));
  }
}

TEST(Record, NumbersOutOfTheirRangeAreErrors) {
  for (const unsigned type : {0U, 5U, 65535U}) {
    Raw raw = rendered({0, CgroupGone{1}});
    set(raw, offsetof(ftap_log_record, type), static_cast<std::uint16_t>(type));
    EXPECT_FALSE(parse_record(raw)) << type;
  }
  for (const unsigned header_size : {0U, 39U, 65535U}) {
    Raw raw = rendered({0, CgroupGone{1}});
    set(raw, 0, static_cast<std::uint16_t>(header_size));
    EXPECT_FALSE(parse_record(raw)) << header_size;
  }
  Raw rule = rendered({0, some_enter()});
  set(rule, sizeof(ftap_log_record) + offsetof(ftap_log_enter, rule), std::uint32_t{FTAP_RULE_PROCESS + 1});
  EXPECT_FALSE(parse_record(rule));
  Raw kind = rendered({0, some_enter()});
  set(kind,
      sizeof(ftap_log_record) + offsetof(ftap_log_enter, output) + sizeof(ftap_log_output) +
          offsetof(ftap_log_output, kind),
      std::uint16_t{FTAP_KIND_OTHER + 1});
  EXPECT_FALSE(parse_record(kind));
  EXPECT_FALSE(parse_record(rendered({0, Bytes{0, 0, 0, bytes_of("x")}}))) << "bytes of no stream";
  EXPECT_FALSE(parse_record(rendered({0, End{0, 0, {}}}))) << "the end of no stream";
  EXPECT_FALSE(parse_record(rendered({0, Bytes{1, 0xFFFFFFFFFFFFFFFF, 0, bytes_of("x")}})))
      << "the offset overflows";
}

}  // namespace
}  // namespace flowtap::flow
