// Whatever the ring, the journal, the store and the runtime's file have lost of a log: what is shown and what is told as missing are
// together what was written, byte by byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <map>
#include <random>
#include <ranges>
#include <sstream>
#include <string>
#include <vector>

#include "stream/lines/line_assembler.hpp"
#include "tests/support/seed.hpp"
#include "tests/unit/stream/reading/earlier_kit.hpp"

namespace flowtap {
namespace {

using api::LogReadOptions;
using api::Outputs;

class LogProperty : public EarlierLinesTest {
 protected:
  struct Line {
    bool err = false;
    std::uint64_t n = 0;
    std::string text;  // with its newline
  };

  unsigned any(unsigned below) { return static_cast<unsigned>(random_() % below); }

  void begin() {
    id_ = "pod/shop/web-" + std::to_string(round_) + "/" + kPodUid + "/app/0";
    at_ = {};
    written_ = {};
    lines_.clear();
    streams_ = {2 * round_ + 101, 2 * round_ + 102};
    flow::Batch batch;
    for (std::size_t i = 0; i < 2; ++i)
      batch.add(flow::StreamEntry{streams_.at(i),
                                  {.flow = id_, .output = i == 0 ? "stdout" : "stderr", .identity = {}}});
    append(batch);
  }

  // `cuts`: the ring loses any bytes, else whole lines. The first line comes, and the last one of each output.
  void say(unsigned count, bool cuts, unsigned losses) {
    std::array<std::size_t, 2> lost{};
    std::array<bool, 2> has_lost{};
    for (unsigned i = 0; i < count; ++i) {
      const bool is_last = i + 2 >= count;
      Line line{is_last ? i + 1 == count : any(4) == 0, lines_.size() + 1, {}};
      line.text = "n" + std::to_string(line.n) + " " + std::string(any(40), 'x');
      if (any(300) == 0)  // no two places of it are the same
        for (unsigned word = any(8000); word > 0; --word) line.text += std::to_string(word) + ".";
      line.text += returns_ && any(3) != 0 ? "\r\n" : "\n";
      std::size_t& gone = lost.at(line.err ? 1 : 0);
      if (gone == 0 && losses > 0 && any(losses) == 0) gone = cuts ? 1 + any(300) : line.text.size();
      if (is_last || line.n == 1) gone = 0;
      const std::size_t skipped = std::min(gone, line.text.size());
      gone -= skipped;
      put(line, skipped);
      // The outputs stay in the order in which they were written.
      if (skipped > 0 && skipped < line.text.size()) append_all(), give_up_waiting();
      if (skipped == 0 && has_lost.at(line.err ? 1 : 0)) append_all(), give_up_waiting();
      has_lost.at(line.err ? 1 : 0) = skipped == line.text.size();
      lines_.push_back(std::move(line));
    }
    append_all();
  }
  void put(const Line& line, std::size_t skipped) {
    const std::size_t output = line.err ? 1 : 0;
    const std::string_view rest = std::string_view(line.text).substr(skipped);
    at_.at(output) += skipped;
    // A write may end anywhere.
    const std::size_t first = rest.size() > 2 && any(3) == 0 ? any(static_cast<unsigned>(rest.size())) : 0;
    for (const std::string_view bytes : {rest.substr(0, first), rest.substr(first)}) {
      if (bytes.empty()) continue;
      batch_.add(
          flow::BytesEntry{streams_.at(output), at_.at(output), line.n * kSecond, 0, flow::as_bytes(bytes)});
      at_.at(output) += bytes.size();
      if (any(60) == 0) append_all();
    }
    written_.at(output) += line.text;
  }
  void append_all() {
    if (!batch_.empty()) append(batch_);
  }

  // Puts what was written in the place of some of the store's gaps.
  void refill() {
    const auto flow = store_->find(id_);
    if (!flow) return;
    const auto standing = store_->standing(*flow);
    const flow::LogPosition begin = standing->bounds.begin;
    std::string text;
    while (begin + text.size() < standing->bounds.end)
      text += store_->read(*flow, begin + text.size(), standing->bounds.end - begin - text.size())->text;
    std::array<std::uint64_t, 2> at{};
    for (const bool fills : {false, true}) {  // first it is seen where each output begins there
      std::vector<flow::GapFill> some;
      std::size_t next = 0;
      for (std::size_t line = 0; line < text.size(); line = next) {
        next = text.find('\n', line) + 1;
        const auto parsed = flow::parse_cri_line(std::string_view(text).substr(line, next - 1 - line));
        std::uint64_t& here = at.at(parsed->output == "stderr" ? 1 : 0);
        if (fills && parsed->missing && any(3) != 0)
          some.push_back(fill(begin + line, text.substr(line, next - line), *parsed, here));
        here += parsed->bytes();
      }
      for (std::size_t i = 0; i < 2; ++i) at.at(i) = standing->streams.at(streams_.at(i)) - at.at(i);
      if (!some.empty()) (void)store_->fill(flow, some);  // there may be no room
    }
  }
  [[nodiscard]] flow::GapFill fill(flow::LogPosition at, std::string gap, const flow::CriLine& line,
                                   std::uint64_t offset) const {
    flow::GapFill fill{at, std::move(gap), {}, *line.missing};
    flow::CriTime clock;
    flow::LineAssembler lines;
    const std::string output(line.output);
    const auto put = [&](const flow::LineView& part) {
      flow::put_cri_line(fill.text, clock, {part.time, output, part.full, {}, part.text});
    };
    // As the runtime has dated them.
    std::uint64_t written = 0;
    for (const Line& one : lines_) {
      if (one.err != (output == "stderr")) continue;
      const std::uint64_t begin = std::max(written, offset);
      written += one.text.size();
      const std::uint64_t end = std::min(written, offset + *line.missing);
      if (begin < end)
        lines.add(std::string_view(one.text).substr(begin + one.text.size() - written, end - begin),
                  one.n * kSecond, put);
    }
    lines.finish(put);
    return fill;
  }

  // The runtime has the lines from this one on.
  void keep_lines(std::size_t from) {
    std::string text;
    for (const Line& line : lines_ | std::views::drop(from)) {
      const std::string head = rfc3339_nano(at_second(line.n) + std::chrono::microseconds(50)) +
                               (line.err ? " stderr " : " stdout ");
      std::string_view rest = line.text;
      for (; rest.size() > flow::kMaxLine + 1; rest.remove_prefix(flow::kMaxLine))
        text.append(head).append("P ").append(rest.substr(0, flow::kMaxLine)).append("\n");
      if (rest.ends_with("\r\n")) rest.remove_suffix(2);
      text.append(head).append("F ").append(rest).append(rest.ends_with('\n') ? "" : "\n");
    }
    tree_.file("var/log/pods/shop_web-" + std::to_string(round_) + "_" + kPodUid + "/app/0.log", text);
  }

  static bool takes_gap(std::string_view& text, std::uint64_t& missing) {
    constexpr std::string_view kMark = "[flowtap: ";
    if (!text.starts_with(kMark)) return false;
    missing = std::stoull(std::string(text.substr(kMark.size(), 20)));
    text.remove_prefix(text.find('\n') + 1);
    return true;
  }
  // One output's log, with its gaps, against what was written from `from` on. What stands at its beginning may be of both outputs.
  void expect_written(std::string_view got, std::string_view written, const std::string& what) {
    std::uint64_t missing = 0;
    if (std::string_view rest = got; takes_gap(rest, missing) && got.contains("of stdout and stderr")) {
      got = rest;
      written.remove_prefix(written.size() - std::min<std::uint64_t>(written.size(), sum_of(rest)));
    }
    while (!got.empty()) {
      if (takes_gap(got, missing)) {
        ASSERT_LE(missing, written.size()) << what;
        written.remove_prefix(missing);
        continue;
      }
      constexpr std::string_view kCut = " [flowtap: cut]\n";
      const std::size_t size = std::min(got.find('\n'), got.size() - 1) + 1;
      const bool is_cut = got.substr(0, size).ends_with(kCut);
      const std::string_view line = got.substr(0, is_cut ? size - kCut.size() : size);
      ASSERT_TRUE(written.starts_with(line))
          << what << ": " << line.substr(0, 80) << " for " << written.substr(0, 80);
      written.remove_prefix(line.size());
      got.remove_prefix(size);
    }
    EXPECT_EQ(written, "") << what;
  }
  // Bytes that are shown, and that are told as missing.
  static std::uint64_t sum_of(std::string_view got) {
    std::uint64_t sum = 0;
    std::uint64_t missing = 0;
    while (!got.empty()) {
      if (takes_gap(got, missing)) {
        sum += missing;
        continue;
      }
      constexpr std::string_view kCut = " [flowtap: cut]\n";
      const std::size_t line = std::min(got.find('\n'), got.size() - 1) + 1;
      const bool is_cut = got.substr(0, line).ends_with(kCut);
      // A gap of the other output may stand amid a line.
      const std::size_t size = is_cut ? line : std::min(line, got.find("[flowtap: "));
      sum += is_cut ? size - kCut.size() : size;
      got.remove_prefix(size);
    }
    return sum;
  }

  std::string all(const LogReadOptions& options) {
    std::string got = log(options, id_);
    EXPECT_TRUE(got.ends_with('|'));
    if (got.ends_with('|')) got.pop_back();
    return got;
  }

  // What the runtime leaves out is neither shown nor missing, unless it is in a gap.
  void expect_sum(std::uint64_t sum) const {
    const std::uint64_t written = written_[0].size() + written_[1].size();
    std::uint64_t returns = 0;
    for (const Line& line : lines_) returns += line.text.ends_with("\r\n") ? 1 : 0;
    EXPECT_LE(sum, written);
    EXPECT_GE(sum, written - returns);
  }
  void expect_all_written() {
    expect_sum(sum_of(all({.gaps = true})));
    if (returns_) return;
    for (const Outputs outputs : {Outputs::kStdout, Outputs::kStderr})
      expect_written(all({.outputs = outputs, .gaps = true}),
                     written_.at(outputs == Outputs::kStderr ? 1 : 0),
                     outputs == Outputs::kStderr ? "stderr" : "stdout");
    expect_sum(sum_of_records(all({.json = true, .gaps = true})));
    expect_sum(sum_of_records(all({.otel = true, .gaps = true})));
  }
  // The same of JSON's and OpenTelemetry's.
  static std::uint64_t sum_of_records(const std::string& got) {
    std::uint64_t sum = 0;
    std::istringstream records(got);
    for (std::string line; std::getline(records, line);) {
      const boost::json::object record = boost::json::parse(line).as_object();
      std::map<std::string, std::string> attributes;
      if (const auto* const list = record.if_contains("attributes"))
        for (const auto& one : list->as_array())
          attributes[std::string(one.at("key").as_string())] = boost::json::serialize(one.at("value"));
      const auto missing = attributes.find("flowtap.missing_bytes");
      if (missing != attributes.end()) {
        sum += std::stoull(missing->second.substr(missing->second.find_first_of("0123456789")));
      } else if (record.contains("missing_bytes")) {
        sum += boost::json::value_to<std::uint64_t>(record.at("missing_bytes"));
      } else {
        const auto& text = record.contains("body") ? record.at("body").at("stringValue") : record.at("text");
        sum += text.as_string().size();
        if (!record.contains("cut") && !attributes.contains("flowtap.cut")) ++sum;
      }
    }
    return sum;
  }
  void expect_all_followed() {
    const auto follower = reader({.follow = true}, id_);
    ASSERT_TRUE(follower);
    std::string got = drain(*follower);
    expect_sum(sum_of(got));
    say(1 + any(20), false, 0);
    got += drain(*follower);
    if (!got.contains(" dropped to make room ")) expect_sum(sum_of(got));  // which is told in lines
  }
  // Lines that are whole: the last ones are the end of all that is shown, and those since a time are in it.
  void expect_ends() {
    const std::string shown = all({});
    const auto count = static_cast<std::uint64_t>(std::ranges::count(shown, '\n'));
    for (const std::uint64_t tail : {std::uint64_t{1}, count / 3 + 1, count - count / 7, count, count + 5}) {
      const std::string last = all({.tail_lines = tail, .whole_lines = true});
      EXPECT_EQ(static_cast<std::uint64_t>(std::ranges::count(last, '\n')), std::min(tail, count)) << tail;
      EXPECT_TRUE(shown.ends_with(last)) << tail;
    }
    const std::uint64_t since = 1 + any(static_cast<unsigned>(lines_.size()));
    // What was found again may stand behind later lines of the other output. The rest of a line whose beginning has made room has no
    // number that could be read.
    const auto lines_since = [](std::string_view text, std::uint64_t first) {
      std::string lines;
      for (std::size_t end = 0; !text.empty(); text.remove_prefix(end)) {
        end = text.find('\n') + 1;
        if (text[0] == 'n' && std::stoull(std::string(text.substr(1, 10))) >= first)
          lines += text.substr(0, end);
      }
      return lines;
    };
    const std::string got = lines_since(all({.since = at_second(since)}), 0);
    const std::string later = lines_since(shown, since);
    EXPECT_TRUE(got == later) << since << ": " << got.substr(0, 500) << "\nfor: " << later.substr(0, 500);
  }
  // It goes while it is read.
  void expect_all_told_meanwhile() {
    const auto whole = reader({.gaps = true}, id_);
    ASSERT_TRUE(whole);
    const std::uint64_t until = written_[0].size() + written_[1].size();
    std::string got;
    for (unsigned reads = any(4); reads > 0; --reads)
      if (const auto piece = whole->read(1000)) got += piece->bytes;
    if (any(2) == 0) say(300 + any(600), false, 0);
    flood(std::size_t{any(1200)} << 10U, lines_.size());
    while (true) {
      const auto piece = whole->read(1000);
      if (!piece) {
        EXPECT_TRUE(piece.error().what.contains("had to make room")) << piece.error().what;
        return;
      }
      got += piece->bytes;
      if (piece->end) break;
    }
    if (!returns_) {
      EXPECT_EQ(sum_of(got), until);
    }
  }

  std::mt19937 random_;
  unsigned round_ = 0;
  bool returns_ = false;
  std::string id_;
  std::array<flow::StreamNo, 2> streams_{};
  std::array<std::string, 2> written_;
  std::vector<Line> lines_;
  flow::Batch batch_;
};

TEST_F(LogProperty, WhatIsShownAndWhatIsToldAreWhatWasWritten) {
  const unsigned seed = test::seed();
  SCOPED_TRACE("FTAP_SEED=" + std::to_string(seed));
  random_.seed(seed);
  constexpr std::uint64_t kJournal = std::uint64_t{1} << 20U;
  open(kJournal);
  loses_meanwhile_ = true;
  for (round_ = 0; round_ < 24 && !HasFailure(); ++round_) {
    SCOPED_TRACE("round " + std::to_string(round_));
    returns_ = drops_returns_ = any(4) == 0;
    begin();
    const bool cuts = any(2) == 0;
    const unsigned losses = any(3) == 0 ? 0 : 40 + any(200);
    for (unsigned part = 0; part < 1 + any(3); ++part) {
      say(100 + any(900), cuts, losses);
      if (any(2) == 0) refill();
      if (any(3) == 0) flood(std::size_t{any(900)} << 10U, lines_.size());
      if (any(4) == 0) open(kJournal);
    }
    expect_all_written();
    if (any(2) == 0) keep_lines(any(2) == 0 ? 0 : any(static_cast<unsigned>(lines_.size())));
    expect_all_written();
    if (!cuts) expect_ends();
    expect_all_followed();
    expect_all_told_meanwhile();
  }
}

}  // namespace
}  // namespace flowtap
