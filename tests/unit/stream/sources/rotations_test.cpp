// Where files go, told by nothing but the order of a directory's events.
#include "stream/sources/files/rotations.hpp"

#include <gtest/gtest.h>

namespace flowtap {
namespace {

using enum NameEvent::What;

class RotationsTest : public testing::Test {
 protected:
  void made(const std::string& name) { rotations_.see({kMade, name, 0}); }
  void removed(const std::string& name) { rotations_.see({kRemoved, name, 0}); }
  void moved(const std::string& from, const std::string& to) {
    ++cookie_;
    rotations_.see({kMovedFrom, from, cookie_});
    rotations_.see({kMovedTo, to, cookie_});
  }
  [[nodiscard]] std::string fresh() const {
    std::string all;
    for (const auto& file : rotations_.fresh()) all += (all.empty() ? "" : " ") + file.name;
    return all;
  }

  Rotations rotations_{"log"};
  std::uint32_t cookie_ = 0;
};

TEST_F(RotationsTest, WhatStandsThereIsKnown) {
  EXPECT_EQ(fresh(), "");
  made("other");
  EXPECT_EQ(fresh(), "");
}

TEST_F(RotationsTest, ANewFileIsFoundUnderTheNameThatItHasByNow) {
  moved("log", "log.1");
  made("log");
  EXPECT_EQ(fresh(), "log");
  moved("log.1", "log.2");
  moved("log", "log.1");
  made("log");
  EXPECT_EQ(fresh(), "log.1 log");
  moved("log", "2026-11-21.old");
  EXPECT_EQ(fresh(), "log.1 2026-11-21.old");
  rotations_.take(rotations_.fresh().front().number);
  EXPECT_EQ(fresh(), "2026-11-21.old");
  moved("log.1", "log.2");
  EXPECT_EQ(fresh(), "2026-11-21.old") << "taken is taken";
  EXPECT_EQ(rotations_.lost(), 0U);
}

TEST_F(RotationsTest, AFileThatIsMovedThereIsNew) {
  moved("log.new", "log");
  EXPECT_EQ(fresh(), "log");
  rotations_.see({kMovedTo, "log", 77});  // from another directory, over the one that is there
  EXPECT_EQ(fresh(), "log");
  EXPECT_EQ(rotations_.lost(), 1U);
}

TEST_F(RotationsTest, WhatIsRemovedBeforeItWasTakenIsLost) {
  moved("log", "log.1");
  made("log");
  removed("log.1");
  EXPECT_EQ(rotations_.lost(), 0U) << "that one was known";
  removed("log");
  EXPECT_EQ(rotations_.lost(), 1U);
  made("log");
  rotations_.see({kMovedFrom, "log", 99});  // out of the directory
  made("other");
  EXPECT_EQ(rotations_.lost(), 2U);
  made("log");
  moved("something", "log");
  EXPECT_EQ(rotations_.lost(), 3U);
  EXPECT_EQ(fresh(), "log");
}

TEST_F(RotationsTest, WhereEventsWereLostTheNameIsLookedAt) {
  moved("log", "log.1");
  rotations_.forget_all();
  EXPECT_EQ(fresh(), "log");
  moved("log.1", "log.2");
  EXPECT_EQ(fresh(), "log");
}

TEST_F(RotationsTest, OfMoreThanAnybodyOpensTheOldestAreLost) {
  for (std::size_t i = 0; i < Rotations::kMostFresh + 10; ++i) {
    made("log");
    moved("log", std::to_string(i));
  }
  EXPECT_EQ(rotations_.fresh().size(), Rotations::kMostFresh);
  EXPECT_EQ(rotations_.fresh().front().name, "10");
  EXPECT_EQ(rotations_.lost(), 10U);
  removed("0");
  EXPECT_EQ(rotations_.lost(), 10U) << "once";
}

}  // namespace
}  // namespace flowtap
