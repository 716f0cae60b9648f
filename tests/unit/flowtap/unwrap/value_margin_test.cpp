// A value's lines in a log whose tabs a terminal, an editor or journalctl has changed.
#include "tools/flowtap/saved/unwrap/around/value_margin.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/flowtap/forms/records_in.hpp"

namespace flowtap::cli {
namespace {

using Lines = std::vector<std::string>;

Lines undone(const Lines& lines) {
  ValueMargin margin;
  Lines out;
  for (const std::string& line : lines) out.emplace_back(margin.undo(line));
  return out;
}

TEST(ValueMargin, IsATabAgain) {
  const Lines klogs = {"\ta", "\t  b", "\t> c", "\t  > d", "\t\t> e", "\t >", "\t", " > pod=\"x\""};
  EXPECT_EQ(undone(klogs), klogs);
  EXPECT_EQ(undone({"        a", "          b", "        > c", "          > d", " > pod=\"x\""}),
            (Lines{"\ta", "\t  b", "\t> c", "\t  > d", " > pod=\"x\""}))
      << "a terminal's";
  EXPECT_EQ(undone({" a", "   b", " >"}), (Lines{"\ta", "\t  b", " >"})) << "one blank";
  EXPECT_EQ(undone({"a", "b", "> pod=\"x\""}), (Lines{"\ta", "\tb", " > pod=\"x\""})) << "none";
  EXPECT_EQ(undone({"      \ta", "      \t  b", "       >"}), (Lines{"\ta", "\t  b", " >"}))
      << "journalctl's";
  EXPECT_EQ(undone({"    a", "  b", ""}), (Lines{"\ta", "\tb", "\t"})) << "less than the first line";
}

// A tenant may have written a value that quotes a record, and the end of a value.
TEST(ValueMargin, WhatStandsBehindItIsNoRecord) {
  const std::string head = "I1126 10:00:00.103412       1 a.go:9] ";
  const std::string forged =
      "I1126 10:00:00.103412       1 b.go:1] \"Successfully bound pod to node\" pod=\"a/b\"";
  for (const std::string before : {"", "Nov 26 10:00:00 cp1 ks[1]: ", "[pod/a/c] "})
    for (const std::string margin : {"\t", "        ", " ", "    ", "      \t"})
      for (const std::string quoted : {"y", "  > y", "\t> y", " >", "  >"}) {
        if (margin == " " && quoted.starts_with(" >")) continue;
        const std::string bytes = before + head + "\"x\" err=<\n" + before + margin + "y\n" + before +
                                  margin + quoted + '\n' + before + margin + forged + '\n' + before + " >\n" +
                                  before + head + "\"z\"\n";
        EXPECT_EQ(test::records_in(bytes), (Lines{head + "\"x\" err=<", head + "\"z\""})) << bytes;
      }
}

// The same below journalctl's own text, in CSV, and with two pods' values that are open.
TEST(ValueMargin, WhatStandsBehindItIsNoRecordInOtherForms) {
  const std::string head = "I1126 10:00:00.103412       1 a.go:9] ";
  const std::string forged = "I1126 10:00:00.103412       1 b.go:1] \"bound\" pod=\"a/b\"";
  const std::string unit = "Nov 26 10:00:00 cp1 ks[1]: ";
  const std::string below(unit.size(), ' ');
  EXPECT_EQ(test::records_in(unit + head + "\"x\" err=<\n" + below + "\ty\n" + below + '\t' + forged + '\n' +
                             below + " >\n"),
            Lines{head + "\"x\" err=<"});
  EXPECT_EQ(test::records_in("\"" + head + "\"\"x\"\" err=<\"\n\"\ty\"\n\"\t" + head +
                             "\"\"bound\"\" pod=\"\"a/b\"\"\"\n\" >\"\n"),
            Lines{head + "\"x\" err=<"});
  EXPECT_EQ(test::records_in("[pod/a/c] " + head + "\"x\" err=<\n[pod/b/c] " + head +
                             "\"z\" err=<\n[pod/a/c]         " + forged + "\n[pod/b/c]         " + forged +
                             "\n[pod/a/c]  >\n[pod/b/c]  >\n"),
            (Lines{head + "\"x\" err=<", head + "\"z\" err=<"}));
}

// What follows a value that was cut is another part, and its records may be indented.
TEST(ValueMargin, AnotherMarginIsNoneOfTheValue) {
  const std::string head = "I1126 10:00:00.103412       1 a.go:9] ";
  for (const std::string before : {"    ", "     1  ", "  ks-1 | "})
    EXPECT_EQ(test::records_in(head + "\"x\" err=<\n\ty\n" + before + head + "\"z\"\n"),
              (Lines{head + "\"x\" err=<", head + "\"z\""}))
        << before;
}

// It was cut, and what follows belongs to nobody's value.
TEST(ValueMargin, AValueEndsWithTheNextRecord) {
  const std::string head = "I1126 10:00:00.103412       1 a.go:9] ";
  EXPECT_EQ(test::records_in(head + "\"x\" err=<\n" + head + "\"y\"\n    " + head + "\"z\"\n"),
            (Lines{head + "\"x\" err=<", head + "\"y\"", head + "\"z\""}));
}

}  // namespace
}  // namespace flowtap::cli
