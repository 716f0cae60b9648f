// A page that sets a record right behind its field's name sets the next field right behind the record.
#include "tools/flowtap/saved/unwrap/around/close_fields.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace flowtap::cli {
namespace {

const std::string kBefore = "@timestampNov 26, 2026 @ 10:00:00.103";
const std::string kHead = "I1126 10:00:00.103412       1 a.go:9] ";
const std::string kQuoted = kHead + R"("no \"fit\"" node="n1")";
const std::string kUnquoted = kHead + R"("no fit" node="n1" score=2)";
const std::string kBehind = "streamstderr";

TEST(CloseFields, AreUndone) {
  CloseFields fields;
  EXPECT_EQ(fields.undo(kBefore + "message" + kQuoted + kBehind), kBefore + ' ' + kQuoted);
  EXPECT_EQ(fields.undo(kBefore + "message" + kUnquoted + kBehind), kBefore + ' ' + kUnquoted)
      << "as behind the record before";
  EXPECT_EQ(fields.undo(" >" + kBehind), " >") << "the end of a value of several lines";
}

TEST(CloseFields, ARecordWithoutAFieldsNameHasNone) {
  CloseFields fields;
  for (const std::string& line : {kQuoted, kQuoted + kBehind, kBefore + kQuoted, "message: " + kQuoted,
                                  "message" + kHead.substr(0, 20), std::string(), std::string("message")})
    EXPECT_EQ(fields.undo(line), line);
  for (const std::string& line : {fmt::format(R"({}"x" err="see its log{})", kHead, kQuoted),
                                  fmt::format("{}see its log{}", kHead, kQuoted), R"({"log)" + kQuoted,
                                  fmt::format("\tlog {0}log{0}", kHead)})
    EXPECT_EQ(fields.undo(line), line) << "a value's own text";
  EXPECT_EQ(fields.undo("log" + kUnquoted + kBehind), ' ' + kUnquoted + kBehind) << "nothing tells its end";
}

}  // namespace
}  // namespace flowtap::cli
