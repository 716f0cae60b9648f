// Parts and whole lines as text, as kubelet's reader would give them.
#include "stream/reading/forms/text_form.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

namespace flowtap {
namespace {

struct Written {
  bool err = false;
  bool full = false;
  std::string text;
};

// ReadLogs() and logWriter of k8s.io/cri-client, pkg/logs/logs.go: a time stands where what was written before ended in a newline,
// or was empty.
std::string as_kubelet(const std::vector<Written>& lines, bool timestamps) {
  std::string out;
  flow::CriTime clock;
  bool is_new_line = true;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string log = lines[i].text + (lines[i].full ? "\n" : "");
    if (timestamps && is_new_line) out += std::string(clock.text(i)) + " ";
    out += log;
    is_new_line = log.empty() || log.ends_with('\n');
  }
  return out;
}

TEST(TextForm, JoinsPartsAsKubeletDoes) {
  std::mt19937 random(1);
  const auto any = [&random](unsigned below) { return static_cast<unsigned>(random() % below); };
  for (int round = 0; round < 2000; ++round) {
    std::vector<Written> lines(1 + any(8));
    for (Written& line : lines)
      line = {any(2) == 0, any(2) == 0, std::string(any(3), static_cast<char>('a' + any(26)))};
    for (const bool timestamps : {false, true}) {
      TextForm form({.timestamps = timestamps});
      TextForm::Piece piece;
      for (std::size_t i = 0; i < lines.size(); ++i)
        form.take({.time = i,
                   .output = lines[i].err ? "stderr" : "stdout",
                   .full = lines[i].full,
                   .missing = {},
                   .text = lines[i].text},
                  piece);
      ASSERT_EQ(piece.bytes, as_kubelet(lines, timestamps)) << round;
    }
  }
}

// A gap belongs to one output; the other one's part goes on behind it.
TEST(TextForm, AGapMarksTheLineThatItHasCut) {
  const auto text = [](bool gaps, std::string_view part_of) {
    TextForm form({.gaps = gaps});
    TextForm::Piece piece;
    form.take({.time = 1, .output = part_of, .full = false, .missing = {}, .text = "part"}, piece);
    form.take({.time = 2, .output = "stdout", .full = true, .missing = 7, .text = "[gap]"}, piece);
    form.take({.time = 3, .output = "stdout", .full = true, .missing = {}, .text = "next"}, piece);
    EXPECT_EQ(piece.missing_before, 7U);
    return piece.bytes;
  };
  EXPECT_EQ(text(true, "stdout"), "part [flowtap: cut]\n[gap]\nnext\n");
  EXPECT_EQ(text(true, "stderr"), "part[gap]\nnext\n") << "as if its output had said it";
  EXPECT_EQ(text(false, "stdout"), "part\nnext\n");
  EXPECT_EQ(text(false, "stderr"), "partnext\n");
}

// Lines of any outputs, with gaps of any outputs among them: without what is flowtap's own, they are as they were written.
TEST(TextForm, AGapOfTheOtherOutputStandsBehindTheLine) {
  struct Item {
    std::string_view output;
    bool full = false;
    std::uint64_t missing = 0;
    std::string_view text;
  };
  const auto text = [](const std::vector<Item>& items, bool timestamps = false) {
    TextForm form({.timestamps = timestamps, .gaps = true});
    TextForm::Piece piece;
    std::uint64_t time = 0;
    for (const Item& item : items)
      form.take({.time = ++time,
                 .output = item.output,
                 .full = item.full,
                 .missing = item.missing == 0 ? std::nullopt : std::optional(item.missing),
                 .text = item.text},
                piece);
    form.finish(piece);
    return piece.bytes;
  };
  const Item abc{"stdout", false, 0, "abc"};
  const Item def{"stdout", true, 0, "def"};
  const Item gap{"stderr", true, 5, "[gap]"};
  const Item cut{"stdout", true, 7, "[cut]"};
  const Item err{"stderr", true, 0, "err"};
  EXPECT_EQ(text({abc, gap, def}), "abcdef\n[gap]\n");
  EXPECT_EQ(text({abc, gap, gap, abc, def, err}), "abcabcdef\n[gap]\n[gap]\nerr\n");
  EXPECT_EQ(text({abc, gap, err, def}), "abc[gap]\nerr\ndef\n");
  EXPECT_EQ(text({abc, gap, cut, def}), "abc [flowtap: cut]\n[gap]\n[cut]\ndef\n");
  EXPECT_EQ(text({abc, gap}), "abc[gap]\n");
  EXPECT_EQ(text({abc, gap, def}, true),
            "1970-01-01T00:00:00.000000001Z abcdef\n1970-01-01T00:00:00.000000002Z [gap]\n");
}

// One output writes a line without an end, and the other one only loses bytes.
TEST(TextForm, GapsThatWaitAreAddedUp) {
  TextForm form({.gaps = true});
  TextForm::Piece piece;
  form.take({.time = 1, .output = "stdout", .full = false, .missing = {}, .text = "endless"}, piece);
  const auto lose = [&](std::uint64_t bytes, flow::MissingCause cause) {
    const std::string text = flow::gap_text(bytes, cause);
    form.take({2, "stderr", true, bytes, text, false, cause}, piece);
  };
  std::string wanted = "endless, and its end\n";
  for (std::size_t n = 1; n < TextForm::kMostWaiting; ++n) {
    lose(n, flow::MissingCause::kRingFull);
    wanted += flow::gap_text(n, flow::MissingCause::kRingFull) + "\n";
  }
  for (int n = 0; n < 100'000; ++n) lose(3, flow::MissingCause::kMadeRoom);
  lose(5, flow::MissingCause::kUnknown);
  EXPECT_EQ(piece.bytes, "endless");
  form.take({.time = 3, .output = "stdout", .full = true, .missing = {}, .text = ", and its end"}, piece);
  EXPECT_EQ(piece.bytes, wanted + flow::gap_text(300'000, flow::MissingCause::kMadeRoom) + "\n" +
                             flow::gap_text(5) + "\n");
}

// What a sentence says beside its bytes is said of their sum, too.
TEST(TextForm, GapsThatAreAddedUpKeepTheirWords) {
  TextForm form({.gaps = true});
  TextForm::Piece piece;
  form.take({.time = 1, .output = "stdout", .full = false, .missing = {}, .text = "endless"}, piece);
  const auto lose = [&](std::uint64_t bytes, const flow::GapWords& words) {
    const std::string text = flow::gap_text(bytes, flow::MissingCause::kMadeRoom, words);
    form.take({2, "stderr", true, bytes, text, false, flow::MissingCause::kMadeRoom}, piece);
  };
  std::string wanted = "endless\n";
  for (std::size_t n = 1; n < TextForm::kMostWaiting; ++n) {
    lose(1, {.of_scheduler = n % 2 == 1});
    wanted += flow::gap_text(1, flow::MissingCause::kMadeRoom, {.of_scheduler = n % 2 == 1}) + "\n";
  }
  lose(5, {.of_both = true});
  lose(6, {.at_most = true, .of_both = true});
  lose(7, {.of_both = true});
  lose(3, {.of_scheduler = true});
  form.take({.time = 3, .output = "stdout", .full = true, .missing = {}, .text = ""}, piece);
  wanted.replace(
      wanted.rfind("[flowtap: records may be missing here: 1 byte of the scheduler's log was lost]"), 78,
      "[flowtap: records may be missing here: 4 bytes of the scheduler's log were lost]");
  EXPECT_EQ(piece.bytes, wanted +
                             "[flowtap: up to 18 bytes of stdout and stderr are missing here: "
                             "they had to make room for newer ones]\n");
}

// Somebody follows, and the line does not go on.
TEST(TextForm, AGapDoesNotWaitForLong) {
  TextForm form({.follow = true});
  TextForm::Piece piece;
  EXPECT_EQ(form.rest(piece), TextForm::Clock::time_point::max());
  form.take({.time = 1, .output = "stdout", .full = false, .missing = {}, .text = "name: "}, piece);
  form.take({.time = 2, .output = "stderr", .full = true, .missing = 7, .text = "[gap]"}, piece);
  const auto until = form.rest(piece);
  EXPECT_LE(until, TextForm::Clock::now() + TextForm::kLineIsWritten);
  EXPECT_EQ(piece.bytes, "name: ");
  while (form.rest(piece) != TextForm::Clock::time_point::max()) EXPECT_EQ(piece.bytes, "name: ");
  EXPECT_EQ(piece.bytes, "name: [gap]\n");
}

// A message ends no line without a word, either.
TEST(TextForm, AMessageAmidALineIsToldFromIt) {
  TextForm form({});
  TextForm::Piece piece;
  form.take({.time = 1, .output = "stdout", .full = false, .missing = {}, .text = "part"}, piece);
  form.say("words", piece);
  form.take({.time = 2, .output = "stdout", .full = true, .missing = {}, .text = "rest"}, piece);
  EXPECT_EQ(piece.bytes, "part[flowtap: words]\nrest\n");
}

}  // namespace
}  // namespace flowtap
