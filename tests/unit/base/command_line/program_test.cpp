// What a program accepts on its command line is read as people write it, each mistake has its kind, and the help lists
// what may be seen.
#include "base/command_line/program.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace flowtap::command_line {
namespace {

using Words = std::vector<std::string>;

/// A shop with a command that needs a positional, and one that needs nothing.
class CommandLine : public testing::Test {
 protected:
  CommandLine() {
    shop_.flag("-h,--help", "Print this text and exit.").asks_for_help = true;
    shop_.flag("--version", "Print the version and exit.");
    shop_.option("--dir", "DIR", "Where the goods are.").shown_default = "/srv/shop";
    shop_.option("--report", "[TIME]", "Report how it goes.").value_is_optional = true;
    Command sell{"sell", "Sell goods."};
    sell.positional("GOODS", "What to sell.", keep(goods_)).required = true;
    sell.positional("BUYER", "Who buys it.", keep(buyers_));
    sell.option("-n,--number", "N", "How many.", [this](std::string_view text) {
      numbers_.emplace_back(text);
      return !text.starts_with('x');
    });
    sell.option("--note", "TEXT", "What to write on it.", keep(notes_)).repeatable = true;
    sell.option("-s,--secret", "WORD", "Never shown.").hidden = true;
    sell.option("-i", "WORD", "An option with a short name only.");
    sell.flag("-f,--fast", "Be quick.", &fast_);
    sell.flag("-t,--trial", "Only look.", &trial_);
    sell.flag("--quiet", "Never shown.").hidden = true;
    shop_.commands = {sell, {"close", "Close the shop."}};
  }

  Given given(std::vector<const char*> words) const {
    words.insert(words.begin(), "shop");
    return parse(shop_, words);
  }

  Problem problem(const std::vector<const char*>& words) const {
    const Given all = given(words);
    EXPECT_TRUE(all.problem) << "it is accepted";
    EXPECT_TRUE(all.help.empty());
    return all.problem.value_or(Problem{});
  }

  Command shop_{"shop", "shop: buys and sells"};
  Words goods_, buyers_, numbers_, notes_;
  bool fast_ = false;
  bool trial_ = false;

 private:
  static Accept keep(Words& all) {
    return [&all](std::string_view text) {
      all.emplace_back(text);
      return true;
    };
  }
};

TEST_F(CommandLine, WithoutWordsNothingIsGiven) {
  const Given none = given({});
  EXPECT_TRUE(none.command.empty());
  EXPECT_TRUE(none.values.empty());
  EXPECT_TRUE(none.unknown.empty());
  EXPECT_TRUE(none.help.empty());
  EXPECT_FALSE(none.problem);
  EXPECT_FALSE(none.has("--dir"));
  EXPECT_EQ(none.value_of("--dir"), "") << "a default is only shown";
}

TEST_F(CommandLine, AnOptionTakesItsValueInEachForm) {
  const std::vector<std::vector<const char*>> forms = {
      {"sell", "apples", "--number", "5"}, {"sell", "apples", "--number=5"}, {"sell", "apples", "-n", "5"},
      {"sell", "apples", "-n5"},           {"sell", "-n5", "apples"},        {"sell", "apples", "-fn5"}};
  for (const auto& words : forms) {
    numbers_.clear();
    const Given all = given(words);
    EXPECT_FALSE(all.problem) << words.back();
    EXPECT_EQ(all.value_of("--number"), "5") << words.back();
    EXPECT_FALSE(all.has("-n")) << "the last name counts";
    EXPECT_EQ(numbers_, Words{"5"}) << words.back();
  }
}

TEST_F(CommandLine, AnOptionTakesWhateverFollowsAsItsValue) {
  EXPECT_EQ(given({"sell", "apples", "-n", "-1"}).value_of("--number"), "-1");
  EXPECT_EQ(given({"sell", "apples", "-n", "--fast"}).value_of("--number"), "--fast");
  EXPECT_EQ(given({"sell", "apples", "-n", ""}).value_of("--number"), "");
  EXPECT_EQ(given({"sell", "apples", "-n=5"}).value_of("--number"), "=5");
  EXPECT_EQ(given({"sell", "apples", "--number=", "5"}).value_of("--number"), "5");
  EXPECT_EQ(given({"sell", "apples", "--number=a=b"}).value_of("--number"), "a=b");
  EXPECT_FALSE(fast_);
}

TEST_F(CommandLine, OfAnOptionGivenTwiceTheLastOneCounts) {
  const Given all = given({"sell", "apples", "-n5", "--number", "6"});
  EXPECT_FALSE(all.problem);
  EXPECT_EQ(all.value_of("--number"), "6");
  EXPECT_EQ(numbers_, (Words{"5", "6"}));
  EXPECT_EQ(problem({"sell", "apples", "-nx", "-n6"}).fault, Fault::kRefusedValue) << "each has to be right";
}

TEST_F(CommandLine, ARepeatableOptionTakesOneValueEachTime) {
  const Given all = given({"sell", "--note", "one", "--note=two", "apples"});
  EXPECT_FALSE(all.problem);
  EXPECT_EQ(notes_, (Words{"one", "two"}));
  EXPECT_EQ(goods_, Words{"apples"});
}

TEST_F(CommandLine, AnOptionalValueMayBeAbsent) {
  for (const auto& words : std::vector<std::vector<const char*>>{
           {"--report"}, {"--report="}, {"--report", "--version"}, {"--report", "close"}}) {
    const Given all = given(words);
    EXPECT_FALSE(all.problem) << words.back();
    EXPECT_TRUE(all.has("--report")) << words.back();
    EXPECT_EQ(all.value_of("--report"), "") << words.back();
  }
  EXPECT_EQ(given({"--report=5s"}).value_of("--report"), "5s");
  EXPECT_EQ(given({"--report", "5s"}).value_of("--report"), "5s");
}

TEST_F(CommandLine, AFlagIsSetByItsNameOrByWhatFollows) {
  EXPECT_FALSE(given({"sell", "apples", "-ft"}).problem);
  EXPECT_TRUE(fast_);
  EXPECT_TRUE(trial_);
  for (const char* off : {"--fast=false", "--fast=no", "--fast=0", "--fast=off"}) {
    fast_ = true;
    EXPECT_TRUE(given({"sell", "apples", off}).has("--fast")) << "it was given";
    EXPECT_FALSE(fast_) << off;
  }
  for (const char* on : {"--fast=true", "--fast=yes", "--fast=1", "--fast=on", "--fast="}) {
    fast_ = false;
    EXPECT_FALSE(given({"sell", "apples", on}).problem) << on;
    EXPECT_TRUE(fast_) << on;
  }
  EXPECT_FALSE(given({"sell", "apples", "-f", "--fast=no"}).problem);
  EXPECT_FALSE(fast_) << "the last one counts";
}

TEST_F(CommandLine, AFlagThatSetsNothingIsGivenWhateverFollows) {
  EXPECT_EQ(given({"--version"}).value_of("--version"), "true");
  EXPECT_EQ(given({"--version=soon"}).value_of("--version"), "soon");
  EXPECT_FALSE(given({"--version=soon"}).problem);
}

TEST_F(CommandLine, PositionalsAreTakenInTheirOrder) {
  const Given all = given({"sell", "apples", "-f", "Eve", "late"});
  EXPECT_EQ(all.value_of("GOODS"), "apples");
  EXPECT_EQ(all.value_of("BUYER"), "Eve");
  EXPECT_EQ(goods_, Words{"apples"});
  EXPECT_EQ(buyers_, Words{"Eve"});
  EXPECT_EQ(all.unknown, Words{"late"});
  EXPECT_EQ(given({"sell", "-5"}).value_of("GOODS"), "-5") << "a number is no flag";
  EXPECT_EQ(given({"sell", "--", "--fast"}).value_of("GOODS"), "--fast");
  EXPECT_EQ(given({"sell", "--", "--fast"}).unknown, Words{});
  EXPECT_EQ(given({"--", "--nothing"}).unknown, Words{"--nothing"});
  EXPECT_TRUE(given({"sell", ""}).has("GOODS")) << "an empty word is a word";
}

TEST_F(CommandLine, AProgramsOptionsStandBeforeAndBehindACommand) {
  for (const auto& words :
       std::vector<std::vector<const char*>>{{"--dir", "/d", "close"}, {"close", "--dir", "/d"}}) {
    const Given all = given(words);
    EXPECT_EQ(all.command, "close");
    EXPECT_EQ(all.value_of("--dir"), "/d");
    EXPECT_TRUE(all.unknown.empty());
  }
}

TEST_F(CommandLine, AWordThatNothingAcceptsIsUnknownAndNoProblem) {
  EXPECT_EQ(given({"--nonsense", "close", "now", "-x"}).unknown, (Words{"--nonsense", "now", "-x"}));
  EXPECT_EQ(given({"close", "--nonsense=5"}).unknown, Words{"--nonsense=5"});
  EXPECT_EQ(given({"steal"}).unknown, Words{"steal"});
  EXPECT_EQ(given({"steal"}).command, "");
  EXPECT_EQ(given({"--di", "/d"}).unknown, (Words{"--di", "/d"})) << "names are not abbreviated";
  EXPECT_EQ(given({"close", "sell"}).unknown, Words{"sell"}) << "there is one command";
  EXPECT_EQ(given({"-f", "close"}).unknown, Words{"-f"}) << "it belongs to the other command";
  EXPECT_FALSE(given({"close", "now"}).problem);
}

TEST_F(CommandLine, AnOptionWithoutItsValueIsNamed) {
  for (const auto& words : std::vector<std::vector<const char*>>{{"sell", "apples", "-n"},
                                                                 {"sell", "apples", "--number"},
                                                                 {"sell", "apples", "--number="},
                                                                 {"sell", "apples", "-fn"}}) {
    const Problem wrong = problem(words);
    EXPECT_EQ(wrong.fault, Fault::kNoValue) << words.back();
    EXPECT_EQ(wrong.name, "--number") << words.back();
  }
  EXPECT_EQ(problem({"sell", "apples", "-i"}).name, "-i");
  EXPECT_EQ(problem({"sell", "-s"}).fault, Fault::kNoValue);
  EXPECT_EQ(problem({"sell", "-s"}).name, "--secret") << "it is hidden in the help only";
  EXPECT_TRUE(numbers_.empty());
  EXPECT_TRUE(goods_.empty()) << "values are taken only if no option lacks one";
}

TEST_F(CommandLine, ARefusedValueIsNamed) {
  const Problem wrong = problem({"sell", "apples", "--number=x"});
  EXPECT_EQ(wrong.fault, Fault::kRefusedValue);
  EXPECT_EQ(wrong.name, "--number");
  EXPECT_EQ(problem({"sell", "-nx", "--help"}).fault, Fault::kRefusedValue) << "it comes before the help";
}

TEST_F(CommandLine, AMissingPositionalIsNamedWithTheUnknownWords) {
  const Given all = given({"sell", "--nonsense", "-f"});
  ASSERT_TRUE(all.problem);
  EXPECT_EQ(all.problem->fault, Fault::kNotGiven);
  EXPECT_EQ(all.problem->name, "GOODS");
  EXPECT_EQ(all.command, "sell");
  EXPECT_EQ(all.unknown, Words{"--nonsense"});
  EXPECT_TRUE(fast_);
  EXPECT_FALSE(given({"close"}).problem) << "another command needs none";
}

TEST_F(CommandLine, WhatElseIsWrongHasAText) {
  const Problem wrong = problem({"sell", "apples", "--fast=maybe"});
  EXPECT_EQ(wrong.fault, Fault::kOther);
  EXPECT_EQ(wrong.name, "");
  EXPECT_EQ(wrong.text, "Could not convert: --fast = maybe");
}

TEST_F(CommandLine, ANameThatIsDeclaredTwiceIsAProblem) {
  shop_.flag("--dir", "");
  EXPECT_EQ(problem({"close"}).fault, Fault::kOther);
  EXPECT_EQ(help_of(shop_), problem({"close"}).text);
}

TEST_F(CommandLine, TheHelpListsAllThatIsNotHidden) {
  const std::string help = help_of(shop_);
  EXPECT_EQ(help,
            "shop: buys and sells\n"
            "Usage: shop [OPTIONS] [SUBCOMMAND]\n"
            "\n"
            "Options:\n"
            "  -h,--help                   Print this text and exit.\n"
            "  --version                   Print the version and exit.\n"
            "  --dir DIR=/srv/shop         Where the goods are.\n"
            "  --report [TIME]             Report how it goes.\n"
            "\n"
            "Subcommands:\n"
            "sell\n"
            "  Sell goods.\n"
            "  Positionals:\n"
            "    GOODS REQUIRED              What to sell.\n"
            "    BUYER                       Who buys it.\n"
            "  Options:\n"
            "    -n,--number N               How many.\n"
            "    --note TEXT ...             What to write on it.\n"
            "    -i WORD                     An option with a short name only.\n"
            "    -f,--fast                   Be quick.\n"
            "    -t,--trial                  Only look.\n"
            "\n"
            "close\n"
            "  Close the shop.\n"
            "\n"
            "\n");
  for (const char* ask : {"-h", "--help", "--help=no"}) EXPECT_EQ(given({ask}).help, help) << ask;
  EXPECT_EQ(given({"--help", "--nonsense", "--version"}).help, help);
  EXPECT_TRUE(given({"--help", "--version"}).has("--version"));
}

TEST_F(CommandLine, ACommandHasAHelpOfItsOwn) {
  const std::string help =
      "Close the shop.\n"
      "Usage: shop close [OPTIONS]\n"
      "\n"
      "Options:\n"
      "  -h,--help                   Print this text and exit.\n"
      "\n";
  EXPECT_EQ(given({"close", "--help"}).help, help);
  EXPECT_EQ(given({"--help", "close"}).help, help);
  const Given sell = given({"sell", "-h"});
  EXPECT_FALSE(sell.problem) << "who asks for help needs no positional";
  EXPECT_TRUE(sell.help.contains("Usage: shop sell [OPTIONS] GOODS [BUYER]\n")) << sell.help;
}

TEST(CommandLineWithoutHelp, HasNone) {
  Command plain{"plain", "plain: needs no words"};
  plain.flag("--loud", "Say it.");
  const std::vector<const char*> words = {"plain", "--help"};
  const Given all = parse(plain, words);
  EXPECT_TRUE(all.help.empty());
  EXPECT_EQ(all.unknown, Words{"--help"});
  EXPECT_EQ(help_of(plain),
            "plain: needs no words\n"
            "Usage: plain [OPTIONS]\n"
            "\n"
            "Options:\n"
            "  --loud                      Say it.\n"
            "\n");
}

}  // namespace
}  // namespace flowtap::command_line
