// Which way may be gone to a listed file, and which one would let somebody else choose what is read.
#include "stream/sources/files/path_walk.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "tests/support/files/temp_dir.hpp"

namespace flowtap {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kSomebody = 4711;
constexpr uid_t kOther = 4712;

class PathWalkTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "giving files away needs root, as the daemon's tests have it";
    file("etc/secret", 0);
  }

  void file(const std::string& name, uid_t owner) {
    fs::create_directories(fs::path(dir_ / name).parent_path());
    std::ofstream(dir_ / name) << name;
    give(name, owner);
  }
  void link(const std::string& name, const std::string& to, uid_t owner) {
    fs::create_directories(fs::path(dir_ / name).parent_path());
    fs::create_symlink(to, dir_ / name);
    give(name, owner);
  }
  void give(const std::string& name, uid_t owner) {
    if (::lchown((dir_ / name).c_str(), owner, owner) != 0) throw std::runtime_error("cannot give " + name);
  }
  [[nodiscard]] Result<PathWalk::Reached> to(const std::string& path) const {
    auto walk = PathWalk::open(dir_ / ".");
    if (!walk) throw std::runtime_error(walk.error().what);
    return walk->to(path);
  }
  // The content of each file is the name that it was made under.
  [[nodiscard]] std::string reached(const std::string& path) const {
    const auto there = to(path);
    if (!there) return "no: " + there.error().what;
    std::ifstream in("/proc/self/fd/" + std::to_string(there->place.get()));
    return {std::istreambuf_iterator<char>(in), {}};
  }

  test::TempDir dir_;
};

TEST_F(PathWalkTest, RootsLinksAreFollowedWhereverTheyStand) {
  file("data/log/app/x.log", kSomebody);
  link("var/log", "/data/log", 0);
  EXPECT_EQ(reached("/var/log/app/x.log"), "data/log/app/x.log");
  link("var/current", "log/app/x.log", 0);
  EXPECT_EQ(reached("/var/current"), "data/log/app/x.log") << "over another link";
  file("data/only", 0);
  EXPECT_EQ(reached("/var/log/../only"), "data/only") << ".. is the directory above the one that was reached";
  EXPECT_EQ(reached("/var/log/../../../..//etc/./secret"), "etc/secret") << "and nothing is above the root";
  link("out", "/../../../../etc/secret", 0);
  EXPECT_EQ(reached("/out"), "etc/secret");
}

TEST_F(PathWalkTest, ALinkInTheMiddleDoesNotLeadToWhatItsOwnerDoesNotOwn) {
  link("var/log/app", "/etc", kSomebody);
  EXPECT_FALSE(to("/var/log/app/secret"));
  EXPECT_FALSE(to("/var/log/app")) << "nor to be watched";
  file("home/secret", kSomebody);
  link("var/log/own", "../../home", kSomebody);
  EXPECT_EQ(reached("/var/log/own/secret"), "home/secret");
  link("var/log/others", "../../home", kOther);
  EXPECT_FALSE(to("/var/log/others/secret"));
  link("var/log/roots", "others", 0);
  EXPECT_FALSE(to("/var/log/roots/secret")) << "root's link over somebody's";
  link("var/log/back", "/home", kSomebody);
  EXPECT_FALSE(to("/var/log/back/../etc/secret")) << "on the way there and back";
}

TEST_F(PathWalkTest, NorALinkAtTheEnd) {
  link("somebodys", "etc/secret", kSomebody);
  EXPECT_FALSE(to("/somebodys"));
  give("etc/secret", kSomebody);
  EXPECT_EQ(reached("/somebodys"), "etc/secret");
  link("others", "etc/secret", kOther);
  EXPECT_FALSE(to("/others"));
}

TEST_F(PathWalkTest, AWayEnds) {
  EXPECT_EQ(to("/none/x").error().code, ENOENT);
  EXPECT_EQ(to("/etc/secret/x").error().code, ENOTDIR);
  link("a", "b", 0);
  link("b", "/a", 0);
  EXPECT_EQ(to("/a").error().code, ELOOP);
  std::string dots;
  for (int i = 0; i < 200; ++i) dots += "etc/../";
  link("long", dots + "etc/secret", 0);
  EXPECT_FALSE(to("/long")) << "and holds no more descriptors than a path of ordinary length";
}

}  // namespace
}  // namespace flowtap
