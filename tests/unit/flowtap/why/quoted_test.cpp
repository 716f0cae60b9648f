// flowtap why --from of a text in which somebody quotes a scheduler's records.
#include <fmt/format.h>

#include <filesystem>

#include "tests/unit/flowtap/why/why_kit.hpp"

namespace flowtap {
namespace {

using QuotedWhy = WhyTest;

constexpr std::string_view kVerdict =
    R"(I1126 10:00:00.103412       1 schedule_one.go:1129] "Unable to schedule pod; no fit; waiting" pod="shop/web" )"
    R"(err="0/3 nodes are available: 3 Insufficient cpu.")";
constexpr std::string_view kBind =
    R"(I1126 10:00:09.103412       1 schedule_one.go:314] "Successfully bound pod to node" pod="shop/web" node="n1")";
constexpr std::string_view kSays = "a scheduler's records stand amid other words";

TEST_F(QuotedWhy, AnswersAndSaysThatTheyMayBeChanged) {
  const std::string issue = write(
      "issue.md",
      fmt::format("### What happened?\n\nOur pod hangs. The log has `{}`, see below.\n\nThanks\n", kVerdict));
  const Outcome run = flowtap_program("why shop/web" + from({issue}) + " 2>&1");
  EXPECT_EQ(run.exit, 0);
  EXPECT_NE(run.output.find("none of 3 nodes fits; 3 lack CPU"), std::string::npos) << run.output;
  EXPECT_NE(run.output.find(kSays), std::string::npos) << run.output;
  EXPECT_EQ(run.output.find("were not understood"), std::string::npos) << run.output;
}

TEST_F(QuotedWhy, TheFilesThatWereFoundGiveTheAnswers) {
  constexpr std::string_view kVerdictOfWeb =
      "shop/web-7f9c-abcde  unschedulable  none of 3 nodes fits; 2 lack CPU, 1 has a taint that the pod does "
      "not";
  int files = 0;
  for (const auto& [folder, of_db] :
       {std::pair<std::string, std::string_view>{"found/why/quoted", "bound to gpu-7"},
        {"found/why/headerless", "none of 3 nodes fits; 3 cannot reach the pod's volume"}})
    for (const auto& file : std::filesystem::directory_iterator(kGolden + folder)) {
      ++files;
      const Outcome run = flowtap_program("why" + from({file.path()}) + " 2>&1");
      EXPECT_EQ(run.exit, 0) << file.path();
      for (const std::string_view said : {kVerdictOfWeb, of_db, kSays})
        EXPECT_NE(run.output.find(said), std::string::npos) << file.path() << ": " << run.output;
    }
  EXPECT_EQ(files, 8);
}

// Another program's words are anybody's.
TEST_F(QuotedWhy, AreNotBelievedBesideASchedulersOwnRecords) {
  const std::string log = write("kube-scheduler.log", std::string(kVerdict) + '\n');
  const std::string quoting = write("app.log", fmt::format("we have seen this: {}\n", kBind));
  for (const std::vector<std::string>& files :
       {std::vector{log, quoting}, std::vector{quoting, log},
        std::vector{write("both.log", fmt::format("{}\nwe have seen this: {}\n", kVerdict, kBind))}}) {
    const Outcome run = flowtap_program("why shop/web" + from(files) + " 2>&1");
    EXPECT_EQ(run.exit, 0);
    EXPECT_NE(run.output.find("none of 3 nodes fits; 3 lack CPU"), std::string::npos) << run.output;
    EXPECT_EQ(run.output.find("bound to"), std::string::npos) << run.output;
    EXPECT_EQ(run.output.find(kSays), std::string::npos) << run.output;
    EXPECT_NE(run.output.find("in one line somebody quotes a scheduler's record, and it is left out"),
              std::string::npos)
        << run.output;
  }
}

TEST_F(QuotedWhy, AFieldsNameBeforeThemMakesThemNoRows) {
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(kGolden + "found/why/quoted-beside")) {
    ++files;
    const Outcome run = flowtap_program("why shop/web" + from({file.path()}) + " 2>&1");
    EXPECT_NE(run.output.find("none of 3 nodes fits; 3 lack CPU"), std::string::npos) << run.output;
    EXPECT_EQ(run.output.find("evil"), std::string::npos) << run.output;
  }
  EXPECT_EQ(files, 4);
}

// A record without its pod tells nothing.
TEST_F(QuotedWhy, WithoutAnAnswerOneSentenceSaysWhatTheTextIs) {
  const std::string app =
      write("app.log", R"(level=info msg="user says I0821 07:12:30.002483       1 device.go:169] )"
                       "Start to count dcu devices for container ubuntu\"\n");
  const Outcome run = flowtap_program("why" + from({app}) + " 2>&1");
  EXPECT_EQ(run.exit, 1);
  EXPECT_EQ(std::ranges::count(run.output, '\n'), 2) << run.output;
  EXPECT_NE(run.output.find("there is one line, and it says nothing of a pod"), std::string::npos)
      << run.output;
}

TEST_F(QuotedWhy, AreLookedForInEachFile) {
  const std::string one = write("1.md", fmt::format("First it said: {}.\n", kVerdict));
  const std::string other = write("2.md", fmt::format("Then it said: {} and that was it.\n", kBind));
  const Outcome run = flowtap_program("why shop/web" + from({one, other}) + " 2>/dev/null");
  EXPECT_NE(run.output.find("is bound to n1"), std::string::npos) << run.output;
}

}  // namespace
}  // namespace flowtap
