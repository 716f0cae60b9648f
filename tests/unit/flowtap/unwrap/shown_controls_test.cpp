// Signs at a line's end tell that its tabs are shown by signs, too.
#include "tools/flowtap/saved/unwrap/characters/shown_controls.hpp"

#include <gtest/gtest.h>

namespace flowtap::cli {
namespace {

TEST(ShownControls, AreUndoneInALineThatEndsWithASign) {
  ShownControls controls;
  EXPECT_EQ(controls.undo("score=2$"), "score=2");
  EXPECT_EQ(controls.undo("     1^Ia^Ib$"), "     1\ta\tb");
  EXPECT_EQ(controls.undo("^Ia^M$"), "\ta");
  EXPECT_EQ(controls.undo("^Ia$\r"), "\ta");
  EXPECT_EQ(controls.undo(">-------a\xc2\xac"), "\ta");
  EXPECT_EQ(controls.undo("$"), "");
}

TEST(ShownControls, AreTextInAnyOtherLine) {
  ShownControls controls;
  EXPECT_EQ(controls.undo("$"), "") << "a line before tells nothing of the next one";
  for (const char* const text : {"", "\r", "a^Ib", R"(err="a$")", ">-------a", "^M"})
    EXPECT_EQ(controls.undo(text), text);
}

}  // namespace
}  // namespace flowtap::cli
