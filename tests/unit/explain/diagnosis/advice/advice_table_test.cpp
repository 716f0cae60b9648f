// Every reason has advice, and every row of advice has a reason.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "explain/diagnosis/advice.hpp"
#include "explain/diagnosis/facts/schedulers.hpp"
#include "explain/diagnosis/reasons.hpp"
#include "tests/support/paths/paths.hpp"
#include "tests/unit/explain/diagnosis/golden.hpp"

namespace flowtap::diagnosis {
namespace {

using test::golden;

// The lines of a list, without its headings.
std::vector<std::string> lines_of(const std::string& list) {
  std::vector<std::string> out;
  std::istringstream in(golden("diagnosis/" + list));
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && !line.starts_with('#')) out.push_back(line);
  return out;
}

// Each reason that the schedulers are known to give.
std::vector<std::string> reasons() {
  return lines_of("reasons.txt");
}

// The reasons in a text that have no advice; the text may be one reason or a list.
std::string unknown_in(std::string_view text) {
  if (advice_for(text)) return {};
  std::string out;
  each_reason(text, [&](std::string_view part) {
    if (!advice_for(part)) out.append(1, '[').append(part).append(1, ']');
  });
  return out;
}

TEST(AdviceTable, IsThereForEveryReasonOfTheFactTables) {
  std::size_t seen = 0;
  for (const FactRow& row : Schedulers::built_in().rows()) {
    const bool failed = row.kind == FactKind::kCardFails || row.kind == FactKind::kNodeReason ||
                        row.kind == FactKind::kNodeFails || row.kind == FactKind::kAlignFails ||
                        row.kind == FactKind::kNodeLacks || row.kind == FactKind::kFilterFailed ||
                        row.kind == FactKind::kBindFailed;
    if (!failed || row.says.empty()) continue;
    ++seen;
    EXPECT_TRUE(advice_for(row.says)) << "advice.def has no row for " << row.says;
  }
  EXPECT_GT(seen, 30U);
}

TEST(AdviceTable, IsThereForEveryReasonThatIsKnown) {
  ASSERT_GT(reasons().size(), 350U);
  for (const std::string& reason : reasons()) EXPECT_TRUE(advice_for(reason)) << reason;
}

// Words from which nothing follows, and texts that only look like a reason.
TEST(AdviceTable, IsNotThereForWhatIsNamedAsHavingNone) {
  ASSERT_GT(lines_of("reasons_without_advice.txt").size(), 20U);
  for (const std::string& text : lines_of("reasons_without_advice.txt")) {
    const auto advice = advice_for(text);
    EXPECT_FALSE(advice) << text << " is taken by " << (advice ? advice->pattern : "");
  }
}

// No row stands behind another row that takes all of its reasons.
TEST(AdviceTable, EveryRowIsFirstForAReason) {
  std::set<std::string_view> found;
  for (const std::string& reason : reasons())
    if (const auto advice = advice_for(reason)) found.insert(advice->pattern);
  for (const AdviceRow& row : advice_rows())
    EXPECT_TRUE(found.contains(row.pattern)) << "reasons.txt has no line for " << row.pattern;
}

TEST(AdviceTable, NoReasonHasTwoRows) {
  std::set<std::string_view> seen;
  for (const AdviceRow& row : advice_rows()) EXPECT_TRUE(seen.insert(row.pattern).second) << row.pattern;
}

// Keys of an answer under which the schedulers' own reasons stand.
void expect_advice_in(const boost::json::value& value, std::string_view where, std::size_t& seen) {
  if (const auto* list = value.if_array())
    for (const auto& item : *list) expect_advice_in(item, where, seen);
  const auto* object = value.if_object();
  if (object == nullptr) return;
  for (const auto& [key, item] : *object) {
    expect_advice_in(item, where, seen);
    if (key != "reason" || !item.is_string()) continue;
    ++seen;
    EXPECT_EQ(unknown_in(item.get_string()), "") << where;
  }
  const auto* bind = object->if_contains("bind");
  if (bind == nullptr || bind->at("status") != "failed") return;
  EXPECT_EQ(unknown_in(bind->at("summary").get_string()), "") << where;
}

TEST(AdviceTable, IsThereForEveryReasonInTheGoldenAnswers) {
  std::size_t seen = 0;
  for (const auto& file : std::filesystem::directory_iterator(paths::golden() + "/diagnosis")) {
    const std::string name = file.path().filename();
    if (!name.ends_with(".json")) continue;
    const auto answer = boost::json::parse(golden("diagnosis/" + name));
    expect_advice_in(answer, name, seen);
    const auto* text = answer.at("filter").as_object().if_contains("preemption");
    if (text == nullptr) continue;
    Diagnosis preemption;
    preemption.preemption = text->get_string();
    EXPECT_FALSE(advice_for(preemption).empty()) << name;
  }
  EXPECT_GT(seen, 20U);
}

TEST(AdviceTable, IsInSentences) {
  for (const AdviceRow& row : advice_rows()) {
    for (const std::string_view sentence : {row.means, row.todo}) {
      EXPECT_TRUE(sentence.ends_with('.')) << sentence;
      EXPECT_EQ(sentence.find("  "), std::string_view::npos) << sentence;
    }
    for (const std::string_view phrase : {row.lacks.one, row.lacks.many}) {
      ASSERT_FALSE(phrase.empty()) << row.pattern;
      EXPECT_TRUE(phrase.front() >= 'a' && phrase.front() <= 'z' && !phrase.ends_with('.')) << phrase;
    }
  }
}

}  // namespace
}  // namespace flowtap::diagnosis
