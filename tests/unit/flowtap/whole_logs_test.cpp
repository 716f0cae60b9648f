// The records of real logs are the same in whatever a page, a mail or an export has made of them, and in whatever order its parts
// stand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "stream/lines/klog/klog_time.hpp"
#include "tests/support/golden.hpp"
#include "tests/unit/flowtap/forms/records_in.hpp"

namespace flowtap::cli {
namespace {

namespace json = boost::json;

using Records = std::vector<std::string>;

const std::vector<std::string> kLogs = {"scheduler/numa-logid-era-v5.log",
                                        "scheduler/kube-scheduler-v5.json.log",
                                        "scheduler/hami-2.10-filter-failed-v5.log",
                                        "found/k8s-1.36/taints-text.log", "found/why/h1-metax/in.log"};

// Each stands in one line of these logs.
Records records_of(const std::string& log) {
  Records out;
  std::istringstream lines(flowtap::test::golden(log));
  for (std::string line; std::getline(lines, line);)
    if (flow::begins_klog_record(line)) out.push_back(line);
  return out;
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

std::string in_json(const std::string& text) {
  return json::serialize(json::string(text));
}

std::string joined(const Records& lines, std::string_view behind) {
  std::string out;
  for (const std::string& line : lines) out.append(line).append(behind);
  return out;
}

// As Python writes it: in single quotes, unless the text has some and no double ones.
std::string in_python(const std::string& text) {
  if (text.contains('\'') && !text.contains('"')) return '"' + text + '"';
  return '\'' + replaced(replaced(text, "\\", R"(\\)"), "'", R"(\')") + '\'';
}

// RFC 2045, with its shortest lines.
std::string in_mail(const Records& records, const std::string& newline) {
  std::string out = "Content-Transfer-Encoding: quoted-printable" + newline + newline;
  for (const std::string& record : records) {
    std::size_t width = 0;
    for (const char c : record) {
      const bool plain = c >= ' ' && c <= '~' && c != '=';
      const std::string code =
          plain ? std::string(1, c) : fmt::format("={:02X}", static_cast<unsigned char>(c));
      if (width + code.size() > 75) {
        out += '=' + newline;
        width = 0;
      }
      out += code;
      width += code.size();
    }
    out += newline;
  }
  return out;
}

struct Form {
  std::string name;
  std::function<std::string(const std::string& record)> of_line;
};

TEST(WholeLogs, AreTheSameInEachLinesForm) {
  const std::vector<Form> forms = {
      {"YAML", [](const std::string& r) { return "  textPayload: '" + replaced(r, "'", "''") + "'\n"; }},
      {"SQL",
       [](const std::string& r) { return "INSERT INTO logs VALUES('" + replaced(r, "'", "''") + "');\n"; }},
      {"Python", [](const std::string& r) { return "{'log': " + in_python(r) + ", 'stream': 'stderr'}\n"; }},
      {"JSON in CSV",
       [](const std::string& r) {
         return "2026-11-26 10:00:00.103,\"" +
                replaced(R"({"stream":"","log":)" + in_json(r) + '}', "\"", "\"\"") + "\"\n";
       }},
      {"months with a full stop",
       [](const std::string& r) { return "nov. 26 10:00:00 cp1 kube-scheduler[1234]: " + r + '\n'; }},
      {"asciinema", [](const std::string& r) { return "[1.5, \"o\", " + in_json(r + "\r\n") + "]\n"; }},
  };
  for (const std::string& log : kLogs) {
    const Records right = records_of(log);
    ASSERT_GT(right.size(), 7U) << log;
    for (const Form& form : forms) {
      std::string bytes;
      for (const std::string& record : right) bytes += form.of_line(record);
      EXPECT_EQ(test::records_in(bytes), right) << log << ", " << form.name;
    }
  }
}

TEST(WholeLogs, AreTheSameInOneText) {
  for (const std::string& log : kLogs) {
    const Records right = records_of(log);
    Records quoted;
    Records python;
    for (const std::string& record : right) {
      quoted.push_back(in_json(record));
      python.push_back(in_python(record));
    }
    EXPECT_EQ(test::records_in(fmt::format("[{}]\n", fmt::join(quoted, ", "))), right) << log << ", JSON";
    EXPECT_EQ(test::records_in(fmt::format("[{}]\n", fmt::join(python, ", "))), right) << log << ", Python";
    for (const char* const newline : {"\n", "\r\n"})
      EXPECT_EQ(test::records_in(in_mail(right, newline)), right) << log << ", a mail";
    // A flag that klog shows has quotes of its own, behind which anything may be a quotation.
    if (!log.contains("numa")) {
      EXPECT_EQ(test::records_in(joined(right, "\r") + '\n'), right) << log << ", lines that end with CR";
    }
    const std::string loose(400, 'x');
    Records lines;
    std::istringstream text(
        json::serialize(json::object{{"out", loose + "\nno record\n" + joined(right, "\n")}}));
    for (const std::string& record : test::records_in(text.str())) {
      std::istringstream parts(record);
      for (std::string part; std::getline(parts, part);) lines.push_back(part);
    }
    EXPECT_EQ(lines, right) << log << ", a string";
  }
}

std::int64_t micros_of(const std::string& one, const std::string& other) {
  return flow::micros_between(flow::klog_time(*flow::parse_klog_record(one)),
                              flow::klog_time(*flow::parse_klog_record(other)));
}

// The order of a JSON text is also that of its records' times.
TEST(WholeLogs, AreInTheOrderOfTheirTimes) {
  unsigned tried = 0;
  for (const std::string& log : kLogs) {
    Records right = records_of(log);
    // Those of one log are out of order by less than a second, and stay as they are unless something else is.
    const Records plain = test::records_in(joined(right, "\n"));
    EXPECT_EQ(plain, right) << log;
    if (micros_of(right.front(), right.back()) < 3'000'000) continue;
    ++tried;
    std::ranges::stable_sort(
        right, [](const std::string& one, const std::string& other) { return micros_of(one, other) > 0; });
    const auto in_order = [&](Records parts, const char* how) {
      Records found = test::records_in(joined(parts, "\n"));
      EXPECT_TRUE(std::ranges::is_sorted(
          found, [](const std::string& one, const std::string& other) { return micros_of(one, other) > 0; }))
          << log << ", " << how;
      Records all = right;
      std::ranges::sort(all);
      std::ranges::sort(found);
      EXPECT_EQ(found, all) << log << ", " << how;
    };
    Records halves = right;
    std::ranges::rotate(halves, halves.begin() + static_cast<std::ptrdiff_t>(halves.size() / 2));
    in_order(halves, "the second half first");
    Records shuffled = right;
    std::ranges::shuffle(shuffled, std::mt19937(7));
    in_order(shuffled, "in any order");
    Records twice = right;
    twice.insert(twice.end(), right.begin(), right.end());
    const Records found = test::records_in(joined(twice, "\n"));
    EXPECT_EQ(found.size(), twice.size());
    EXPECT_EQ(found.front(), found.at(1)) << log << ", twice";
  }
  EXPECT_GT(tried, 0U);
}

}  // namespace
}  // namespace flowtap::cli
