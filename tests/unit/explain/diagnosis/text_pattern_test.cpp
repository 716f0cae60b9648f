#include "explain/diagnosis/facts/text_pattern.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace flowtap::diagnosis {
namespace {

// "name=taken;" for each place, or "no".
std::string taken(std::string_view pattern, std::string_view text) {
  std::string out;
  const bool is_so = matches(pattern, text, [&](std::string_view name, std::string_view part) {
    out.append(name).append(1, '=').append(part).append(1, ';');
  });
  return is_so ? out : "no";
}

TEST(TextPattern, PlacesTakeWhatStandsBeforeTheTextBehindThem) {
  constexpr std::string_view kEvent = "<count> nodes <reason>(<nodes>)";
  EXPECT_EQ(taken(kEvent, "2 nodes CardInsufficientMemory(a,b)"),
            "count=2;reason=CardInsufficientMemory;nodes=a,b;");
  EXPECT_EQ(taken(kEvent, "no available node, 3 nodes do not meet"), "no");
  EXPECT_EQ(taken(kEvent, " nodes x(a)"), "no");
  EXPECT_EQ(taken(kEvent, "2 nodes x(a) and more"), "no");
  EXPECT_EQ(taken("Start to count <> devices for container <container>",
                  "Start to count dcu devices for container c"),
            "=dcu;container=c;");
}

TEST(TextPattern, TheLastPlaceTakesAllThatIsLeft) {
  EXPECT_EQ(taken("<summary>", "anything, (at) all"), "summary=anything, (at) all;");
  EXPECT_EQ(taken("<summary>", ""), "summary=;");
  EXPECT_EQ(taken("<a> map[<>", "schedule x map[map["), "a=schedule x;=map[;");
}

TEST(TextPattern, TextIsItself) {
  EXPECT_EQ(taken("", ""), "");
  EXPECT_EQ(taken("a", "b"), "no");
  EXPECT_EQ(taken("a", "ab"), "no");
  EXPECT_EQ(taken("ab", "a"), "no");
  EXPECT_EQ(taken("<never closed", "x"), "no");
}

}  // namespace
}  // namespace flowtap::diagnosis
