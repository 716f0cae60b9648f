// Lists of records that stand in one line, as programs write them: each record is read, and a sentence is still none of them.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/flowtap/forms/records_in.hpp"
#include "tools/flowtap/saved/unwrap/around/literal.hpp"

namespace flowtap::cli {
namespace {

using Records = std::vector<std::string>;

const std::string kHead = "I1126 10:00:00.103412       1 a.go:9] ";
const Records kRecords = {kHead + R"("x" pod="a/b" err="2 node(s) didn't match, 3 more")",
                          kHead + R"("y" pod="a/c" err="a \"b\" c:\\d")", kHead + R"("z" pod="a/d")"};

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

std::string in_sql(const std::string& text) {
  return '\'' + replaced(text, "'", "''") + '\'';
}

// Python's and JavaScript's.
std::string escaped(const std::string& text) {
  return '\'' + replaced(replaced(text, "\\", R"(\\)"), "'", R"(\')") + '\'';
}

struct List {
  std::string name;
  std::string before;
  std::function<std::string(int number, const std::string& record)> item;
  std::string between;
  std::string behind;
};

const std::vector<List> kLists = {
    {"SQL", "INSERT INTO logs VALUES ",
     [](int n, const std::string& r) { return fmt::format("({},{})", n, in_sql(r)); }, ", ", ";"},
    {"SQL with columns", "insert into `logs` (`id`, `at`, `line`, `of`) values ",
     [](int n, const std::string& r) {
       return fmt::format("({},'2026-11-26 10:00:00.1',N{},NULL)", n, in_sql(r));
     },
     ",", ";"},
    {"Python's bytes", "[", [](int, const std::string& r) { return 'b' + escaped(r); }, ", ", "]"},
    {"tuples", "[", [](int n, const std::string& r) { return fmt::format("({}, {})", n, escaped(r)); }, ", ",
     "]"},
    {"tuples with times", "lines = deque([",
     [](int n, const std::string& r) {
       return fmt::format("(datetime.datetime(2026, 11, {}, tzinfo=datetime.timezone.utc), {})", n,
                          escaped(r));
     },
     ", ", "])"},
    {"dicts", "[",
     [](int n, const std::string& r) { return fmt::format("{{'ts': {}.5, 'log': {}}}", n, escaped(r)); },
     ", ", "]"},
    {"rows", "[",
     [](int n, const std::string& r) { return fmt::format("Row(ts={}, log={})", n, escaped(r)); }, ", ", "]"},
    {"JavaScript's objects", "[ ",
     [](int n, const std::string& r) {
       return fmt::format("{{ ts: {}, log: {}, ok: true }}", n, escaped(r));
     },
     ", ", " ]"},
    {"PHP's arrays", "[",
     [](int n, const std::string& r) { return fmt::format("['t' => {}, 'l' => {}]", n, escaped(r)); }, ", ",
     "]"},
    {"no brackets", "", [](int, const std::string& r) { return escaped(r); }, ",", ""},
    {"no blanks", "['x',", [](int, const std::string& r) { return escaped(r); }, ",", "]"},
};

TEST(Literals, EachRecordOfAListIsRead) {
  for (const List& list : kLists) {
    Records items;
    for (const std::string& record : kRecords)
      items.push_back(list.item(static_cast<int>(items.size()) + 1, record));
    const std::string bytes = fmt::format("{}{}", list.before, fmt::join(items, list.between));
    EXPECT_EQ(test::records_in(bytes + list.behind + '\n'), kRecords) << list.name << ": " << bytes;
  }
}

TEST(Literals, StringsThatStandSideBySideAreAList) {
  std::string bytes;
  for (const std::string& record : kRecords)
    bytes += " \"" + replaced(replaced(record, "\\", R"(\\)"), "\"", R"(\")") + '"';
  EXPECT_EQ(test::records_in('[' + bytes.substr(1) + "]\n"), kRecords) << "Go's %q";
}

// The quotes of a value are klog's own, and have backslashes.
TEST(Literals, ATenantsWordsAreNoItemOfAList) {
  const std::string forged = kHead + R"(\"Successfully bound pod to node\" pod=\"a/b\" node=\"evil\")";
  for (const char* const between : {"'), (1,'", "', '", "','", "', b'", "'}, {'log': '"}) {
    const std::string record = fmt::format(R"({}"x" pod="a/c" err="x{}{} y")", kHead, between, forged);
    EXPECT_EQ(test::records_in(record + '\n'), Records{record}) << between;
    EXPECT_EQ(test::records_in("INSERT INTO logs VALUES (1," + in_sql(record) + ");\n"), Records{record});
    EXPECT_EQ(test::records_in("[(1, " + escaped(record) + ")]\n"), Records{record});
  }
}

TEST(Literal, IsWhatStandsAroundAString) {
  for (const char* const literal :
       {"[", "(0, '", "), (1,'", ", b'", "}, {'ts': 0.5, 'log': '", " ]", "{ts: 1, log: '",
        "[Row(at=datetime.date(2026, 1, 2), line='", ",null,-1.5e3,\"a \\\" b\",'",
        "INSERT INTO logs (a, b) VALUES (1, '", "[{:t=>1, :l=>\""})
    EXPECT_TRUE(is_of_literal(literal)) << literal;
  for (const char* const prose : {"", " ", "saw: '", "[info] matched '", "(saw: '", ", as it said '",
                                  "['a' is '", "textPayload: '", "[pod/a] '", "insert the values here: '"})
    EXPECT_FALSE(is_of_literal(prose)) << prose;
}

TEST(Literal, TellsNothingOfTheStringThatItOpens) {
  EXPECT_EQ(opening_of_string("), (1,'"), ",'");
  EXPECT_EQ(opening_of_string("[b'"), "[b'");
  EXPECT_EQ(opening_of_string("{'ts': 1, 'log': '"), ": '");
  EXPECT_EQ(opening_of_string("INSERT INTO logs VALUES ('"), "('");
  for (const char* const none : {"", "'", "textPayload: '", "[pod/a] '", "a, b"})
    EXPECT_EQ(opening_of_string(none), "") << none;
}

}  // namespace
}  // namespace flowtap::cli
