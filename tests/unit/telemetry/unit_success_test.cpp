// Which ends of a service its unit's files call a success.
#include "telemetry/unit_success.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>

#include "tests/support/files/temp_dir.hpp"

namespace flowtap {
namespace {

constexpr int code(int number) {
  return number << 8;
}

std::string service(const std::string& settings) {
  return "[Unit]\nDescription=x\nSuccessExitStatus=99\n\n[Service]\n" + settings +
         "\n[Install]\nSuccessExitStatus=98\n";
}

UnitRule unit_rule(const std::string& file) {
  UnitRuleReader reader;
  reader.read(file);
  return reader.rule();
}

void expect_successes(const UnitRule& rule, std::initializer_list<int> statuses,
                      std::initializer_list<int> others) {
  for (const int status : statuses) EXPECT_TRUE(rule.is_success(status)) << status;
  for (const int status : others) EXPECT_FALSE(rule.is_success(status)) << status;
}

TEST(UnitRule, HasCodesSignalsAndNames) {
  expect_successes(unit_rule(service("SuccessExitStatus=TEMPFAIL 250 SIGKILL USR1\nType=simple")),
                   {code(75), code(250), SIGKILL, SIGUSR1}, {code(1), code(99), code(98), SIGTERM, SIGSEGV});
  expect_successes(unit_rule(service("  SuccessExitStatus = 3 \\\n# between\n   4\nSuccessExitStatus=5")),
                   {code(3), code(4), code(5)}, {code(6)});
  expect_successes(unit_rule(service("SuccessExitStatus=3\nSuccessExitStatus=\nSuccessExitStatus=4")),
                   {code(4)}, {code(3)});
  for (const char* odd :
       {"", "SuccessExitStatus=256 -1 3x SIG NOTHING", "#SuccessExitStatus=3", "SuccessExitStatus"})
    EXPECT_EQ(unit_rule(service(odd)), UnitRule{}) << odd;
}

TEST(UnitRule, ACommandMayBeAllowedToFail) {
  expect_successes(unit_rule(service("ExecStart=-/bin/false")), {code(1), code(77), SIGKILL}, {});
  expect_successes(unit_rule(service("ExecStart=@-/bin/false x")), {code(1)}, {});
  expect_successes(unit_rule(service("ExecStart=/bin/a\nExecStart=\nExecStart=-/bin/b")), {code(1)}, {});
  for (const char* all :
       {"ExecStart=/bin/false", "ExecStart=-/bin/a\nExecStart=/bin/b", "ExecStartPre=-/bin/a"})
    EXPECT_EQ(unit_rule(service(all)), UnitRule{}) << all;
}

class UnitSuccessTest : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(dir_ / path).parent_path());
    std::ofstream(dir_ / path) << text;
  }
  test::TempDir dir_;
};

TEST_F(UnitSuccessTest, ReadsTheUnitThatCountsAndItsDropIns) {
  write("usr/lib/systemd/system/a.service", service("SuccessExitStatus=1"));
  write("usr/lib/systemd/system/worker@.service", service("SuccessExitStatus=7"));
  write("etc/systemd/system/b.service", service("SuccessExitStatus=2"));
  write("usr/lib/systemd/system/b.service", service("SuccessExitStatus=3"));
  write("usr/lib/systemd/system/b.service.d/10.conf", "[Service]\nSuccessExitStatus=4\n");
  write("usr/lib/systemd/system/b.service.d/20.conf", "[Service]\nSuccessExitStatus=5\n");
  write("etc/systemd/system/b.service.d/20.conf", "[Service]\nSuccessExitStatus=6\n");
  write("etc/systemd/system/b.service.d/notes.txt", "[Service]\nSuccessExitStatus=9\n");
  const UnitSuccess units(dir_ / "");
  EXPECT_TRUE(units.is_success("a.service", code(1)));
  EXPECT_FALSE(units.is_success("a.service", code(2)));
  EXPECT_TRUE(units.is_success("worker@3.service", code(7)));
  for (const int number : {2, 4, 6}) EXPECT_TRUE(units.is_success("b.service", code(number))) << number;
  for (const int number : {3, 5, 9}) EXPECT_FALSE(units.is_success("b.service", code(number))) << number;
  for (const char* none : {"c.service", "a", "../a.service", ""})
    EXPECT_FALSE(units.is_success(none, code(1)));
}

TEST_F(UnitSuccessTest, EachFileBeginsOutsideOfSections) {
  write("etc/systemd/system/a.service", "[Service]\nSuccessExitStatus=1 \\");
  write("etc/systemd/system/a.service.d/10.conf", "SuccessExitStatus=2\n[Service]\nSuccessExitStatus=3");
  write("etc/systemd/system/a.service.d/20.conf", "SuccessExitStatus=4\n");
  const UnitSuccess units(dir_ / "");
  for (const int number : {1, 3}) EXPECT_TRUE(units.is_success("a.service", code(number))) << number;
  for (const int number : {2, 4}) EXPECT_FALSE(units.is_success("a.service", code(number))) << number;
}

TEST_F(UnitSuccessTest, ReadsTheDropInsOfAllPrefixes) {
  write("etc/systemd/system/a-b-c.service", service(""));
  write("etc/systemd/system/a-b-w@.service", service(""));
  const auto drop_in = [this](const std::string& of, int number) {
    write("etc/systemd/system/" + of + ".d/" + std::to_string(number) + ".conf",
          "[Service]\nSuccessExitStatus=" + std::to_string(number));
  };
  drop_in("a-.service", 11);
  drop_in("a-b-.service", 12);
  drop_in("a-b-c.service", 13);
  drop_in("service", 14);
  drop_in("a-b-@.service", 15);
  drop_in("a-@7.service", 16);
  drop_in("a-b-w@7.service", 17);
  drop_in("a-b.service", 21);
  drop_in("a.service", 22);
  drop_in("b-.service", 23);
  drop_in("-.service", 24);
  write("run/systemd/system/a-b-c.service.d/50.conf", "[Service]\nSuccessExitStatus=31");
  write("etc/systemd/system/a-.service.d/50.conf", "[Service]\nSuccessExitStatus=32");
  const UnitSuccess units(dir_ / "");
  const auto expect = [&units](const char* unit, std::initializer_list<int> successes) {
    for (const int number : {11, 12, 13, 14, 15, 16, 17, 21, 22, 23, 24, 31, 32})
      EXPECT_EQ(units.is_success(unit, code(number)), std::ranges::find(successes, number) != successes.end())
          << unit << " " << number;
  };
  expect("a-b-c.service", {11, 12, 13, 14, 31});
  expect("a-b-w@7.service", {14, 15, 16, 17});
}

// A link of the node's leads where it leads on the node, and nothing there can make us wait.
TEST_F(UnitSuccessTest, StaysWithinTheNodesRoot) {
  namespace fs = std::filesystem;
  write("outside/a.service", service("SuccessExitStatus=1"));
  write("root/outside/a.service", service("SuccessExitStatus=2"));
  write("root/lib/systemd/system/linked.service", service("SuccessExitStatus=3"));
  fs::create_directories(dir_ / "root/etc/systemd/system/fifo.service.d");
  const auto link = [this](const std::string& target, const std::string& name) {
    fs::create_symlink(target, dir_ / ("root/etc/systemd/system/" + name));
  };
  link("/outside/a.service", "absolute.service");
  link(dir_ / "outside/a.service", "host.service");
  link("../../../../../../outside/a.service", "dots.service");
  link("/lib/systemd/system/linked.service", "alias.service");
  link("/dev/null", "masked.service");
  write("root/lib/systemd/system/masked.service", service("SuccessExitStatus=4"));
  fs::create_directories(dir_ / "root/dev");
  ASSERT_EQ(::mkfifo((dir_ / "root/dev/null").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo((dir_ / "root/etc/systemd/system/pipe.service").c_str(), 0600), 0);
  write("root/etc/systemd/system/fifo.service", service("SuccessExitStatus=5"));
  ASSERT_EQ(::mkfifo((dir_ / "root/etc/systemd/system/fifo.service.d/a.conf").c_str(), 0600), 0);
  const UnitSuccess units(dir_ / "root");
  EXPECT_TRUE(units.is_success("absolute.service", code(2)));
  EXPECT_TRUE(units.is_success("dots.service", code(2)));
  EXPECT_TRUE(units.is_success("alias.service", code(3)));
  EXPECT_TRUE(units.is_success("fifo.service", code(5)));
  for (const char* unit : {"absolute.service", "dots.service", "host.service", "pipe.service"})
    EXPECT_FALSE(units.is_success(unit, code(1))) << unit;
  EXPECT_FALSE(units.is_success("masked.service", code(4)));
}

TEST_F(UnitSuccessTest, RemembersAUnitWhoseFilesGoWithIt) {
  write("run/systemd/transient/run-1.service", service("SuccessExitStatus=3"));
  UnitSuccess units(dir_ / "");
  units.note("run-1.service");
  std::filesystem::remove(dir_ / "run/systemd/transient/run-1.service");
  EXPECT_TRUE(units.is_success("run-1.service", code(3)));
  units.note("run-1.service");
  EXPECT_FALSE(units.is_success("run-1.service", code(3))) << "another one of the name";
}

}  // namespace
}  // namespace flowtap
