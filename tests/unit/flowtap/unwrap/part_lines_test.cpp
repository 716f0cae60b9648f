// Lines that a runtime has divided, in objects that say in a member whether more of the line follows.
#include "tools/flowtap/saved/unwrap/objects/part_lines.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/flowtap/forms/records_in.hpp"

namespace flowtap::cli {
namespace {

using Records = std::vector<std::string>;

const std::string kHead = "I1126 10:00:00.103412       1 a.go:9] ";

/// What stands in a collector's object beside a part that others follow, and beside the last one.
struct Form {
  std::string name;
  std::string more;
  std::string last;
};
const std::vector<Form> kForms = {
    {"CRI, by Fluent Bit's parser", R"("logtag":"P")", R"("logtag": "F")"},
    {"CRI, by Fluent Bit", R"("_p": "P")", R"("_p":"F")"},
    {"Docker", R"("partial_message":"true","partial_id":"x","partial_ordinal":"1","partial_last":"false")",
     R"("partial_message":"true","partial_id":"x","partial_ordinal":"2","partial_last":"true")"},
    {"Docker before 19.03", R"("source":"stderr","partial_message":"true")", R"("source":"stderr")"},
};

std::string object(const std::string& text, const std::string& flag, const std::string& stream = "stderr") {
  return R"({"stream":")" + stream + R"(",)" + flag + R"(,"message":")" + text + "\"}\n";
}

TEST(PartLines, AreOneRecordInEachForm) {
  for (const Form& form : kForms)
    EXPECT_EQ(test::records_in(object(kHead + "on", form.more) + object("e a", form.more) +
                               object("nd more", form.last) + object(kHead + "two", R"("x":1)")),
              (Records{kHead + "one and more", kHead + "two"}))
        << form.name;
}

TEST(PartLines, AreOfOneOutput) {
  const Form& form = kForms.front();
  const std::string bytes = object(kHead + "on", form.more) + object(kHead + "tw", form.more, "stdout") +
                            object("o", form.last, "stdout") + object("e", form.last);
  EXPECT_EQ(test::records_in(bytes), (Records{kHead + "one", kHead + "two"}));
}

// A collector may call a pod as it likes.
TEST(PartLines, AreAlikeInAllThatTheirObjectsSay) {
  const auto of_pod = [](const std::string& text, const std::string& pod, const std::string& flag) {
    return object(text, flag + R"(,"pod":")" + pod + R"(","offset":)" + std::to_string(text.size()));
  };
  const Form& form = kForms.front();
  const std::string bytes = of_pod(kHead + "on", "a", form.more) + of_pod(kHead + "tw", "b", form.more) +
                            of_pod("e", "a", form.last) + of_pod("hello", "c", form.last) +
                            of_pod("o", "b", form.last);
  EXPECT_EQ(test::records_in(bytes), (Records{kHead + "one", kHead + "two"}));
}

/// An object of CRI's form, of the second `at`.
std::string object_at(int at, const std::string& text, const std::string& mark) {
  return object(text, R"("time":"2026-11-26T10:00:0)" + std::to_string(at) + R"(Z","logtag":")" + mark + '"');
}

// As a file has them whose newest line is the first.
TEST(PartLines, OfAnEarlierTimeAreNotBehind) {
  EXPECT_EQ(test::records_in(object_at(5, kHead + "on", "P") + object_at(0, "o", "F")),
            Records{kHead + "on"});
}

TEST(PartLines, BehindTheirRestAreNotJoined) {
  const std::string bytes = object("e", R"("logtag":"F")") + object(kHead + "on", R"("logtag":"P")") +
                            object("o", R"("logtag":"F")") + object(kHead + "tw", R"("logtag":"P")");
  EXPECT_EQ(test::records_in(bytes), (Records{kHead + "on", kHead + "tw"}));
}

TEST(PartLines, BehindAValueOfSeveralLinesAreJoined) {
  const std::string bytes = object(kHead + "x err=<", R"("logtag":"F")") +
                            object(R"(\tof x)", R"("logtag":"F")") + object(kHead + "on", R"("logtag":"P")") +
                            object("e", R"("logtag":"F")");
  EXPECT_EQ(test::records_in(bytes).back(), kHead + "one");
}

TEST(PartLines, StandWhereTheFirstOneStood) {
  const Form& form = kForms.front();
  std::vector<std::string> lines = {object(kHead + "on", form.more)};
  for (int i = 0; i < 100; ++i) lines.push_back(object(kHead + std::to_string(i), R"("x":"1")"));
  std::vector<std::string> given;
  PartLines parts;
  const PartLines::Take take = [&given](std::string_view one, bool /*full*/, std::uint64_t /*time*/) {
    given.emplace_back(one);
  };
  for (const std::string& line : lines) parts.add(line, true, 0, take);
  EXPECT_GT(given.size(), 30U) << "a rest that is lost keeps nothing";
  parts.finish(take);
  EXPECT_EQ(given, lines);
}

// A part was lost, or the file ends.
TEST(PartLines, EndWhereARecordBegins) {
  const Form& form = kForms.front();
  const std::string bytes =
      object(kHead + "on", form.more) + object(kHead + "two", form.last) + object(kHead + "thr", form.more);
  EXPECT_EQ(test::records_in(bytes), (Records{kHead + "on", kHead + "two", kHead + "thr"}));
}

TEST(PartLines, AnotherProgramsTextSaysNothing) {
  const std::string line = object("partial_message", R"("logtag":"F")");
  std::vector<std::string> given;
  PartLines parts;
  const PartLines::Take take = [&given](std::string_view one, bool /*full*/, std::uint64_t /*time*/) {
    given.emplace_back(one);
  };
  parts.add(line, true, 0, take);
  parts.add("{\"logtag\":\"P\"", true, 0, take);
  parts.finish(take);
  EXPECT_EQ(given, (Records{line, "{\"logtag\":\"P\""}));
}

}  // namespace
}  // namespace flowtap::cli
