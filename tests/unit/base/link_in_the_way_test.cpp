// A symbolic link in a place of flowtapd's is called one, whatever errno says.
#include "base/node/link_in_the_way.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "tests/support/files/temp_dir.hpp"

namespace flowtap {
namespace {

namespace fs = std::filesystem;

std::string told(const std::string& path, Links followed, std::string_view other = {}) {
  const auto link = link_in_the_way("cannot make it", path, followed, other);
  return link ? link->what + "\n" + link->hint : "";
}

TEST(LinkInTheWay, IsToldWhereNoneIsFollowed) {
  const test::TempDir dir;
  fs::create_symlink("/tmp", dir / "link");
  EXPECT_EQ(told(dir / "link", Links::kNone),
            "cannot make it: a symbolic link stands there, and flowtapd follows none\nremove the link");
  EXPECT_EQ(told(dir / "link", Links::kNone, "take another"),
            "cannot make it: a symbolic link stands there, and flowtapd follows none\n"
            "remove the link, or take another");
  EXPECT_EQ(link_in_the_way("", dir / "link", Links::kNone)->code, ELOOP);
  EXPECT_EQ(told(dir / "link", Links::kThatLeadToThings), "") << "it leads to a directory";
}

TEST(LinkInTheWay, IsToldWhereItLeadsToNothing) {
  const test::TempDir dir;
  fs::create_symlink("/nonexistent/x", dir / "link");
  EXPECT_EQ(told(dir / "link", Links::kThatLeadToThings),
            "cannot make it: a symbolic link stands there that leads to nothing (/nonexistent/x)\n"
            "remove the link or make what it leads to");
  EXPECT_EQ(told(dir / "link", Links::kThatLeadToThings, "take another"),
            "cannot make it: a symbolic link stands there that leads to nothing (/nonexistent/x)\n"
            "remove the link, make what it leads to, or take another");
}

TEST(LinkInTheWay, MayBeOnTheWay) {
  const test::TempDir dir;
  fs::create_symlink("/nonexistent", dir / "above");
  for (const Links followed : {Links::kNone, Links::kThatLeadToThings})
    EXPECT_EQ(told(dir / "above/state/flows", followed),
              "cannot make it: a symbolic link stands at " + (dir / "above") +
                  " that leads to nothing (/nonexistent)\nremove the link or make what it leads to");
  fs::create_directory(dir / "there");
  fs::create_symlink("there", dir / "good");
  EXPECT_EQ(told(dir / "good/none", Links::kNone), "");
}

TEST(LinkInTheWay, NothingElseIsOne) {
  const test::TempDir dir;
  std::ofstream(dir / "file") << "x";
  for (const char* name : {"file", "file/below", "none", "none/below"})
    for (const Links followed : {Links::kNone, Links::kThatLeadToThings})
      EXPECT_EQ(told(dir / name, followed), "") << name;
}

}  // namespace
}  // namespace flowtap
