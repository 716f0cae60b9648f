// Which ends of a service its unit's files call a success.
#include "telemetry/unit_success.hpp"

#include <gtest/gtest.h>
#include <signal.h>

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
