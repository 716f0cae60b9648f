// Signs at the ends of a file's lines tell that its tabs are shown by signs, too.
#include "tools/flowtap/saved/unwrap/characters/shown_controls.hpp"

#include <gtest/gtest.h>

namespace flowtap::cli {
namespace {

TEST(ShownControls, AreUndoneInAFileWhoseFirstLinesEndWithASign) {
  ShownControls dollars;
  EXPECT_EQ(dollars.undo("cat -A kube-scheduler.log"), "cat -A kube-scheduler.log") << "the command";
  EXPECT_EQ(dollars.undo(""), "");
  EXPECT_EQ(dollars.undo("     1^Ia^Ib$"), "     1\ta\tb");
  EXPECT_EQ(dollars.undo("score=2$"), "score=2");
  EXPECT_EQ(dollars.undo("^Ia^M$"), "\ta");
  EXPECT_EQ(dollars.undo("^Ia$\r"), "\ta");
  EXPECT_EQ(dollars.undo("a^Ib"), "a^Ib") << "a line of something else";
  ShownControls editors;
  EXPECT_EQ(editors.undo(">-------a\xc2\xac"), "\ta");
  EXPECT_EQ(editors.undo("b\xc2\xac"), "b");
  EXPECT_EQ(editors.undo("price$"), "price$");
}

TEST(ShownControls, AreTextInAnyOtherFile) {
  ShownControls controls;
  for (const char* const text :
       {"", "\r", "a^Ib", R"(err="a$")", ">-------a", "^M", "^[0-9]+$", "^Ia$", "a\xc2\xac"})
    EXPECT_EQ(controls.undo(text), text);
}

}  // namespace
}  // namespace flowtap::cli
