// The CRI format, as runtimes write it and as we do.
#include "stream/lines/cri_line.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace flowtap::flow {
namespace {

TEST(CriLine, IsReadBackAsItWasWritten) {
  CriTime clock;
  const std::string any("\0 \xff\t F stdout", 13);
  for (const std::uint64_t time : {std::uint64_t{0}, std::uint64_t{1'755'760'350'004'211'000},
                                   std::uint64_t{1'755'760'350'999'999'999}, std::uint64_t{7}})
    for (const std::string_view output : {"stdout", "stderr"})
      for (const bool full : {true, false})
        for (const std::string_view text : {std::string_view(), std::string_view(any)}) {
          std::string out;
          put_cri_line(out, clock, {time, output, full, {}, text});
          ASSERT_TRUE(out.ends_with("\n"));
          const auto line = parse_cri_line(std::string_view(out).substr(0, out.size() - 1));
          ASSERT_TRUE(line) << out;
          EXPECT_EQ(line->time, time);
          EXPECT_EQ(line->output, output);
          EXPECT_EQ(line->full, full);
          EXPECT_EQ(line->missing, std::nullopt);
          EXPECT_EQ(line->text, text);
        }
}

TEST(CriLine, AGapOfAnySizeIsReadBack) {
  CriTime clock;
  for (const std::uint64_t bytes :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1} << 32U, ~std::uint64_t{0}})
    for (const bool approximate : {false, true}) {
      std::string out;
      put_cri_line(out, clock,
                   {.time = 7,
                    .output = "stdout",
                    .full = true,
                    .missing = bytes,
                    .text = gap_text(bytes),
                    .approximate = approximate});
      const auto line = parse_cri_line(std::string_view(out).substr(0, out.size() - 1));
      ASSERT_TRUE(line) << out;
      EXPECT_EQ(line->missing, bytes);
    }
}

// A read that the kernel kept from all programs has this cause as well, so nothing is said of a way to move bytes alone.
TEST(CriLine, AGapThatNobodySawSaysSo) {
  EXPECT_EQ(
      gap_text(5, MissingCause::kUncaptured),
      "[flowtap: 5 bytes are missing here: flowtapd did not see them pass (splice, sendfile, or a call that "
      "the kernel did not show)]");
}

TEST(CriLine, LooksAsTheFormatSays) {
  CriTime clock;
  std::string out;
  put_cri_line(out, clock, {1'755'760'350'004'211'000, "stderr", false, {}, "I0821 07:12:30"});
  put_cri_line(out, clock, {1'755'760'350'104'211'001, "stdout", true, 5, gap_text(5)});
  EXPECT_EQ(out,
            "2025-08-21T07:12:30.004211000Z stderr P I0821 07:12:30\n"
            "2025-08-21T07:12:30.104211001Z stdout F:missing=5 [flowtap: 5 bytes are missing here]\n");
  const auto gap =
      parse_cri_line("2025-08-21T07:12:30.1Z stdout F:missing=5 [flowtap: 5 bytes are missing here]");
  ASSERT_TRUE(gap);
  EXPECT_EQ(gap->missing, 5U);
  EXPECT_EQ(gap_text(1), "[flowtap: 1 byte is missing here]");
}

TEST(CriLine, AGapSaysWhy) {
  CriTime clock;
  for (int i = 0; i <= static_cast<int>(MissingCause::kUnknown); ++i) {
    const auto cause = static_cast<MissingCause>(i);
    EXPECT_EQ(missing_cause(to_string(cause)), cause);
    std::string out;
    put_cri_line(out, clock, {1, "stdout", true, 5, gap_text(5, cause), false, cause});
    out.pop_back();
    const auto line = parse_cri_line(out);
    ASSERT_TRUE(line) << out;
    EXPECT_EQ(line->missing, 5U);
    EXPECT_EQ(line->cause, cause) << out;
    EXPECT_EQ(cri_part(out).bytes, 5U);
    EXPECT_TRUE(cri_part(out).gap);
  }
  EXPECT_EQ(gap_text(5, MissingCause::kRingFull), "[flowtap: 5 bytes are missing here: the ring was full]");
  EXPECT_EQ(parse_cri_line("2026-08-21T07:12:30Z stderr F:missing=5:cause=newer x")->cause,
            MissingCause::kUnknown);
  EXPECT_EQ(parse_cri_line("2026-08-21T07:12:30Z stderr F:cause=fault x")->cause, MissingCause::kUnknown)
      << "no gap";
}

TEST(CriLine, AGapsWordsAreReadBack) {
  for (int i = 0; i < 4; ++i) {
    const GapWords words{.at_most = (i & 1) != 0, .of_both = (i & 2) != 0};
    for (const std::uint64_t bytes : {1U, 70U}) {
      const GapWords back = gap_words(gap_text(bytes, MissingCause::kMadeRoom, words));
      EXPECT_EQ(back.at_most, words.at_most);
      EXPECT_EQ(back.of_both, words.of_both);
      EXPECT_FALSE(back.of_scheduler);
    }
  }
  EXPECT_EQ(gap_text(1, MissingCause::kRingFull, {.at_most = true, .of_both = true}),
            "[flowtap: up to 1 byte of stdout and stderr is missing here: the ring was full]");
  EXPECT_TRUE(gap_words(scheduler_gap_text(7)).of_scheduler);
  EXPECT_EQ(gap_text(1, MissingCause::kUnknown, {.of_scheduler = true}),
            "[flowtap: records may be missing here: 1 byte of the scheduler's log was lost]");
  EXPECT_FALSE(gap_words("up to 5 bytes of stdout and stderr are missing").at_most)
      << "somebody else's words";
}

TEST(CriLine, StandsForBytesOfItsStream) {
  EXPECT_EQ(cri_part("2026-08-21T07:12:30Z stdout F two words").bytes, 10U);
  EXPECT_EQ(cri_part("2026-08-21T07:12:30Z stdout P two words").bytes, 9U);
  EXPECT_EQ(cri_part("2026-08-21T07:12:30Z stdout F:approximate x").bytes, 2U);
  EXPECT_EQ(cri_part("2026-08-21T07:12:30Z stdout F ").bytes, 1U);
  EXPECT_FALSE(cri_part("2026-08-21T07:12:30Z stdout F missing=5").gap);
}

TEST(CriLine, ReadsWhatRuntimesWrite) {
  const auto local = parse_cri_line("2026-08-21T09:12:30.0042+02:00 stdout F text  with spaces ");
  ASSERT_TRUE(local);
  EXPECT_EQ(local->time, 1'787'296'350'004'200'000U);
  EXPECT_EQ(local->text, "text  with spaces ");
  const auto tagged = parse_cri_line("2026-08-21T07:12:30Z stderr P:a:b=c x");
  ASSERT_TRUE(tagged);
  EXPECT_FALSE(tagged->full);
  EXPECT_EQ(tagged->missing, std::nullopt);
  const auto bare = parse_cri_line("2026-08-21T07:12:30Z stderr F");
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->text, "");
}

TEST(CriLine, TimesOfOneSecondAreReadAsAnyOther) {
  for (const auto& [text, ns] : {std::pair{"2026-08-21T07:12:30.000000001Z", 1'787'296'350'000'000'001U},
                                 {"2026-08-21T07:12:30.999999999Z", 1'787'296'350'999'999'999U},
                                 {"2026-08-21T07:12:31.000000000Z", 1'787'296'351'000'000'000U},
                                 {"2026-08-21T07:12:30.100000000Z", 1'787'296'350'100'000'000U}}) {
    const auto line = parse_cri_line(std::string(text) + " stdout F x");
    ASSERT_TRUE(line) << text;
    EXPECT_EQ(line->time, ns);
  }
  for (const char* const text : {"2026-08-21T07:12:30.10000000xZ", "2026-08-21T07:12:30.-00000001Z",
                                 "2026-08-21T07:12:30.+00000001Z", "2026-08-21T07:12:30.          Z"})
    EXPECT_FALSE(parse_cri_line(std::string(text) + " stdout F x")) << text;
}

// Whatever a line of that second has been read before.
TEST(CriLine, PartsOfAnyLengthAreRead) {
  const std::string time = "2026-08-21T07:12:30.000000007Z";
  std::string whole;  // outlives what is read of it
  const auto read = [&](const char* rest) {
    whole = time + rest;
    return parse_cri_line(whole);
  };
  for (int before = 0; before < 2; ++before) {
    const auto gap = read(" stdout F:missing=5:cause=ring_full gone");
    ASSERT_TRUE(gap);
    EXPECT_EQ(gap->missing, 5U);
    EXPECT_EQ(gap->cause, MissingCause::kRingFull);
    EXPECT_EQ(gap->text, "gone");
    EXPECT_TRUE(read(" stderr P:approximate x")->approximate);
    EXPECT_EQ(read(" stderr P   x")->text, "  x");
    EXPECT_EQ(read(" stderr F")->text, "");
    EXPECT_EQ(read(" stderr F ")->text, "");
    for (const char* const rest : {" stdin  F x", " stdoutF  x", " stdout X x", " stdout FP x",
                                   " std err F x", "  stderrF x", " stdout", " "})
      EXPECT_FALSE(read(rest)) << rest;
    EXPECT_TRUE(read(" stdout F x"));
  }
}

// In the thread's first line no second is known.
TEST(CriLine, ThereIsNoSecondOfNothing) {
  bool is_line = true;
  std::thread([&] {
    is_line = parse_cri_line(std::string(19, '\0') + ".000000007Z stdout F x").has_value();
  }).join();
  EXPECT_FALSE(is_line);
}

TEST(CriLine, EverythingElseIsNone) {
  for (const std::string_view line : {"", " ", "x", "2026-08-21T07:12:30Z", "2026-08-21T07:12:30Z stdin F x",
                                      "2026-08-21T07:12:30Z stdout x", "2026-08-21T07:12:30Z stdout FP x",
                                      "1960-08-21T07:12:30Z stdout F x", "2026-08-21 stdout F x"})
    EXPECT_FALSE(parse_cri_line(line)) << line;
  EXPECT_EQ(parse_cri_line("2026-08-21T07:12:30Z stdout F:missing=-5 x")->missing, std::nullopt);
  EXPECT_EQ(parse_cri_line("2026-08-21T07:12:30Z stdout F:missing=5x x")->missing, std::nullopt);
}

}  // namespace
}  // namespace flowtap::flow
