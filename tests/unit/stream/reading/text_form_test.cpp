// Parts and whole lines as text, as kubelet's reader would give them.
#include "stream/reading/forms/text_form.hpp"

#include <gtest/gtest.h>

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
  EXPECT_EQ(text(true, "stderr"), "part\n[gap]\nnext\n");
  EXPECT_EQ(text(false, "stdout"), "part\nnext\n");
  EXPECT_EQ(text(false, "stderr"), "partnext\n");
}

}  // namespace
}  // namespace flowtap
