// What opens a text is no prefix of its first record, and a tool's prefix and what others quote stay as they are.
#include "tools/flowtap/saved/unwrap/around/first_record.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/flowtap/text_lines.hpp"

namespace flowtap::cli {
namespace {

const std::string kFirst = R"(I1126 10:00:00.103412       1 a.go:9] "no fit" pod="shop/web" n=1)";
const std::string kNext = R"(I1126 10:00:01.103412       1 a.go:9] "no fit" pod="shop/db" n=2)";
const std::string kJson = R"({"ts":1795687200103.412,"caller":"a.go:9","msg":"no fit","v":2})";

Lines divided(const Lines& lines) {
  Lines out;
  FirstRecord first;
  const auto take = [&out](std::string_view line, bool full, std::uint64_t time) {
    EXPECT_TRUE(full);
    EXPECT_EQ(time, 7U);
    out.emplace_back(line);
  };
  for (const std::string& line : lines) first.add(line, true, 7, take);
  first.finish(take);
  return out;
}

TEST(FirstRecord, StandsAloneIfTheNextOneDoes) {
  for (const std::string before :
       {"Log: ", "{noformat}", "[code]", "docker : ", "<html><body style=\"x\"><pre>", "  <out><![CDATA[",
        "Here is the log: ```", "The scheduler logs this: \""})
    for (const std::string& record : {kFirst, kJson}) {
      const std::string blanks(before.size(), ' ');
      EXPECT_EQ(divided({"x", before + record, "", "At line:1", kNext, before + record}),
                (Lines{"x", blanks + record, "", "At line:1", kNext, before + record}));
      const std::string part = record.substr(0, 50);
      EXPECT_EQ(divided({before + part, record.substr(50), kNext}),
                (Lines{blanks + part, record.substr(50), kNext}))
          << "broken by a terminal, and as wide as before";
    }
}

TEST(FirstRecord, MayHaveTheQuoteOfAWholeText) {
  const std::string record = R"(I1126 10:00:00.103412       1 a.go:9] "no fit" pod="shop/web")";
  EXPECT_EQ(divided({"\"" + record, kNext + "\""}), (Lines{" " + record, kNext + "\""}));
  for (const Lines& lines : {Lines{"\"" + record + "\"", kNext}, Lines{"\"" + record, "\"" + record}})
    EXPECT_EQ(divided(lines), lines) << "the quote of one line";
}

TEST(FirstRecord, IsNoErrorOfPowershells) {
  EXPECT_EQ(divided({"docker : " + kFirst.substr(0, 50), kFirst.substr(50), "At line:1 char:1",
                     "+ docker logs x", "+ ~~~", "    + CategoryInfo : x", " ", kNext}),
            (Lines{std::string(9, ' ') + kFirst.substr(0, 50), kFirst.substr(50), " ", kNext}));
}

TEST(FirstRecord, IsAsItWasIfAToolOrAnotherTextIsAround) {
  const std::string quoted = R"(I1126 10:00:00.103412       1 a.go:9] \"no fit\" pod=\"shop/web\"")";
  for (const Lines& lines :
       {Lines{kFirst, "Log: " + kNext}, Lines{"Log: " + kFirst}, Lines{"Log: " + kFirst, "Log: " + kNext},
        Lines{"Log: " + kFirst, "Log: " + kNext, kNext}, Lines{"2026-11-26T10:00:00Z x " + kFirst, kNext},
        Lines{"\tsaw: " + kFirst, kNext}, Lines{"    saw: " + kFirst, kNext}, Lines{"- " + kFirst, kNext},
        Lines{R"({"log":")" + quoted, kNext}, Lines{"saw: \"" + quoted, kNext}, Lines{"x" + kFirst, kNext},
        Lines{"Log: I1126 10:00:00.103412       1 a.g", kNext},
        Lines{"1:" + kFirst, "2:\tof its value", kNext}})
    EXPECT_EQ(divided(lines), lines);
  const Lines far(2000, std::string(100, 'x'));
  Lines behind{"Log: " + kFirst};
  behind.insert(behind.end(), far.begin(), far.end());
  behind.push_back(kNext);
  EXPECT_EQ(divided(behind), behind);
}

}  // namespace
}  // namespace flowtap::cli
