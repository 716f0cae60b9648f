// Units that are listed: they are captured from the first byte over restarts, and nobody is who only has such a name.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <optional>

#include "tests/node/stream/sources/listed.hpp"

namespace flowtap::test {
namespace {

TEST_F(Listed, AUnitFromItsFirstByteOverRestarts) {
  start_with_unit();
  EXPECT_TRUE(eventually([this] {
    return daemon_->status().at("stream").at("sources").at("not_found").as_array().size() == 1;
  }));
  std::optional<ScratchCgroup> cgroup(slice_ + "/" + unit_);
  std::string written =
      live("echo first; echo wrong >&2; " + lines(0, 5000) + "; " + lines(5000, 1000, "writev"), *cgroup);
  EXPECT_EQ(written, "first\nwrong\n" + writer_lines(0, 6000));
  expect_flow("unit", written);
  EXPECT_EQ(flows("unit").front().id, "unit/" + unit_);
  EXPECT_EQ(flows("unit").front().text.at("runtime"), "systemd");
  for (int i = 0; i < 3; ++i) {
    written += live("echo again " + std::to_string(i), *cgroup);
    expect_flow("unit", written);
  }
  EXPECT_EQ(flows("unit").size(), 1U);
  cgroup.reset();
  EXPECT_TRUE(eventually([this] { return !flows("unit").front().open; }));
  // A unit with mounts of its own (PrivateTmp=) looks like a container, but is none.
  const ScratchCgroup again(slice_ + "/" + unit_);
  written += live("echo with mounts of its own", again, CLONE_NEWNS);
  expect_flow("unit", written);
  EXPECT_EQ(listed(), 1U);
}

TEST_F(Listed, WhatTheUnitsProcessesPassOnIsTakenOnce) {
  start_with_unit();
  const ScratchCgroup cgroup(slice_ + "/" + unit_);
  const std::string file = root_.file("copy");
  const std::string written = live(lines(0, 20'000) + " | tee " + file + "; true", cgroup);
  EXPECT_EQ(written, writer_lines(0, 20'000));
  EXPECT_EQ(root_.read("copy"), written);
  expect_flow("unit", written);
  settle();
  EXPECT_EQ(listed(), 1U);
}

TEST_F(Listed, AUnitThatRunsAlready) {
  const ScratchCgroup cgroup(slice_ + "/" + unit_);
  Journal journal;
  const std::string go = root_.file("go");
  auto unit =
      run({"/bin/sh", "-c", "echo before; while [ ! -e " + go + " ]; do sleep 0.05; done; " + lines(0, 3000)},
          journal.unit(), &cgroup);
  EXPECT_TRUE(becomes(*unit, "/bin/sh"));
  start_with_unit();
  const Fd file(::open(go.c_str(), O_CREAT | O_CLOEXEC, 0600));
  EXPECT_EQ(unit->wait(), 0);
  expect_flow("unit", writer_lines(0, 3000));
  EXPECT_EQ(journal.end(), "before\n" + writer_lines(0, 3000));
}

TEST_F(Listed, WhoIsOnlyNamedLikeTheUnitIsNot) {
  start_with_unit();
  // These lie below what is no slice, or below nothing. Some have mounts of their own, as containers have, and some have none.
  for (const std::string& place :
       {"ftap-container-" + unit_ + "/" + slice_ + "/" + unit_, unit_, slice_ + "/ftap.scope/" + unit_,
        slice_ + "/x.service/" + slice_ + "/" + unit_}) {
    const ScratchCgroup cgroup(place);
    EXPECT_EQ(live("echo not the unit", cgroup), "not the unit\n");
    EXPECT_EQ(live("echo not the unit", cgroup, CLONE_NEWNS), "not the unit\n");
  }
  settle();
  EXPECT_TRUE(flows("unit").empty());
  const ScratchCgroup cgroup(slice_ + "/" + unit_);
  expect_flow("unit", live("echo the unit", cgroup));
}

TEST_F(Listed, AUnitStartedAgainIntoTheSameFile) {
  start_with_unit();
  const Fd log = open_log();
  std::string written;
  for (unsigned i = 0; i < 5; ++i) {
    const ScratchCgroup cgroup(slice_ + "/" + unit_);
    EXPECT_EQ(run({"/bin/sh", "-c", lines(i * 300, 300)}, log.get(), &cgroup)->wait(), 0);
    written += writer_lines(i * 300, 300);
  }
  EXPECT_EQ(root_.read("log"), written);
  expect_flow("unit", written);
}

TEST_F(Listed, ListsThatChange) {
  start("processes: [/bin/sched]");
  list("units: [" + unit_ + "]");
  const ScratchCgroup cgroup(slice_ + "/" + unit_);
  const std::string written = live(lines(0, 100), cgroup);
  expect_flow("unit", written);
  settle();
  EXPECT_EQ(listed(), 1U);
}

}  // namespace
}  // namespace flowtap::test
