#include "explain/diagnosis/facts/cut_mark.hpp"

#include <gtest/gtest.h>

#include <string>

#include "explain/diagnosis/fit_error.hpp"
#include "kube_scheduler_kit.hpp"

namespace flowtap::diagnosis {
namespace {

TEST(CutMark, IsTakenOffWhateverToolHasWrittenIt) {
  for (const char* mark :
       {"", "...", " ...", "\u2026", "[...]", " [...]", "(...)", "<truncated>", " <truncated>",
        "...(truncated)", " [truncated 300 bytes]", "[TRUNCATED]", "... [cut]", ">", " ", "...\u2026"})
    EXPECT_EQ(without_cut_mark("12 Insufficient cpu" + std::string(mark)), "12 Insufficient cpu") << mark;
  for (const char* text : {"", "0/3 nodes (3 tried)", "node(s) had untolerated taint {a: b}", "a [b]", "a."})
    EXPECT_EQ(without_cut_mark(text), text);
}

TEST(CutMark, IsShort) {
  const std::string cut = "0/3 nodes are available: 3 Insufficient cpu";
  EXPECT_EQ(without_cut_mark(cut + "<truncated " + std::string(50, 'x') + '>'), cut);
  const std::string longer = cut + "[truncated " + std::string(60, 'x') + ']';
  EXPECT_EQ(without_cut_mark(longer), longer);
  const std::string signs = "0/" + std::string(std::size_t{1} << 20U, '>');
  EXPECT_GT(without_cut_mark(signs).size(), signs.size() - 10) << "nobody leaves as many";
  EXPECT_LT(without_cut_mark(signs).size(), signs.size());
}

TEST(CutMark, ASentenceMayBeCutWithinItsQuotes) {
  for (const char* text :
       {"0/3 nodes are available: 3 Insufficient cpu...", "0/3 nodes are available: 3 node(s) ",
        "0/3 nodes are available: 3 a <b> c>", "0/3 nodes are available: 3 had <more>",
        "0/3 nodes are available: 3 Insufficient ... ", "0/3 nodes are available: 3 Insufficient ...",
        "0/3 nodes are available: 3 [truncated]"})
    EXPECT_TRUE(is_cut_sentence(text)) << text;
  for (const char* text : {"0/3 nodes are available: 3 Insufficient cpu.", "0/3 nodes are available: 3 a. ",
                           "0/3 nodes are available: 3 do not like <none>", "Post \"x\": waiting...",
                           "0/3 nodes are available: 3 waiting for it....", ""})
    EXPECT_FALSE(is_cut_sentence(text)) << text;
}

// The record as systemd shortens it to a width, of which a sign takes some columns.
std::string shortened(std::string_view record, std::size_t width, std::string_view sign,
                      std::size_t columns) {
  const std::size_t before = ((width - columns) * 90 + 50) / 100;
  const std::size_t behind = width - columns - before;
  return std::string(record.substr(0, before)).append(sign).append(record.substr(record.size() - behind));
}

TEST(CutMark, AGapIsWhereSystemdMakesOne) {
  const std::string record = std::string(200, 'x') + " err=\"" + std::string(200, 'y') + '"';
  for (const std::size_t width : {60U, 100U, 101U, 133U, 200U}) {
    EXPECT_EQ(gap_in(shortened(record, width, "\u2026", 1)), "\u2026") << width;
    EXPECT_EQ(gap_in(shortened(record, width, "...", 3)), "...") << width;
    EXPECT_EQ(gap_in("I1\n\t" + shortened(record, width, "\u2026", 1) + "\n >"), "\u2026")
        << "a block's line";
    EXPECT_EQ(gap_in(shortened(record, width, "\u2026", 1).append(width, 'z')), "") << "another place";
  }
  EXPECT_EQ(gap_in(std::string(178, 'x') + "\u2026" + std::string(19, 'x')), "\u2026") << "systemd 236";
  EXPECT_EQ(gap_in(std::string(88, 'x') + "\u00e9\u2026" + std::string(10, 'x')), "\u2026") << "by columns";
  EXPECT_EQ(gap_in("x err=\"dial: retrying...: y\""), "");
  for (const char* const behind : {", y", " yy", ". y"})
    EXPECT_EQ(gap_in(std::string(174, 'x') + "..." + behind + std::string(16, 'y')), "")
        << "a program's own dots";
  for (const char* text : {"", "x", "...", "\u2026", "I1 \u2026"}) EXPECT_EQ(gap_in(text), "") << text;
}

TEST(CutMark, WhatStandsBeforeAGapIsKnown) {
  EXPECT_EQ(before_gap("retrying... it w...d it", "..."), "retrying... it w");
  EXPECT_EQ(before_gap("retrying, it waited", "..."), "retrying, it waited");
  EXPECT_EQ(before_gap("0/3 nodes are available: 1 node(s) h\u2026or it.", ""),
            "0/3 nodes are available: 1 node(s) h");
  for (const char* text :
       {"0/3 nodes are available: 1 waits\u2026, 2 Insufficient cpu.",
        "0/3 nodes are available: 1 waits \u2026 for it.", "0/3 retrying...soon", "a\u2026b"})
    EXPECT_EQ(before_gap(text, ""), text) << "a plugin's own words";
}

TEST(CutMark, BehindANameMakesItNone) {
  for (const char* behind :
       {"",      " ",    "\"",          "' ",     "\x1b[0m", " |",         "|",     "\u2502", " \u2502",
        "</td>", "<br>", "&lt;/td&gt;", "&quot;", "\\n",     "\\u001b[0m", "\\\"}", "\r",     "\n",
        ",",     "\"}",  ")",           "\u00a0", "%",       "$",          "\u200b"})
    EXPECT_EQ(whole_name("shop/web-1.a_b" + std::string(behind)), "shop/web-1.a_b") << behind;
  for (const char* behind : {"\u2026",      "...",
                             " ...",        ">",
                             "\\",          "\u2026[truncated]",
                             "[...]",       " [truncated 3 bytes]",
                             "<truncated>", " <cut>",
                             "+",           "~",
                             "(...)",       "\xff",
                             "\u00bb",      "\\u2026",
                             "&hellip;",    "&gt;",
                             " it",         ": gone",
                             " -more-",     "\\ "})
    EXPECT_EQ(whole_name("shop/web" + std::string(behind)), "") << behind;
}

Diagnosis of(const std::string& value) {
  DiagnosisStore store;
  test::read(store, test::log_of({R"("Unable to schedule pod; no fit; waiting" pod="ns/p" err=")" + value}));
  return store.find("ns", "p").value_or(Diagnosis{});
}

std::string reasons_of(const Diagnosis& found) {
  std::string out;
  for (const NodesReason& one : found.reasons)
    out.append(std::to_string(one.nodes)).append("*").append(one.reason).append("; ");
  return out;
}

TEST(CutMark, WhatWasSaidBeforeItCounts) {
  const std::string begin = "0/30 nodes are available: 10 node(s) had untolerated taint {a: b}";
  const std::string taint = "10*node(s) had untolerated taint {a: b}; ";
  for (const char* mark :
       {"", "...", "[...]", " <truncated>", " [truncated 300 bytes]", "...(truncated)", "...\"", " ...\""}) {
    EXPECT_EQ(reasons_of(of(begin + ", 12 Insufficient cpu" + mark)), taint + "12*Insufficient cpu; ")
        << mark;
    EXPECT_TRUE(of(begin + ", 12 Insufficient cpu" + mark).filter.summary.ends_with("cpu\u2026")) << mark;
  }
  for (const char* count : {", 12 ", ", 12", ", 1", ", ", ","})
    EXPECT_EQ(reasons_of(of(begin + count)), taint) << count;
  EXPECT_EQ(reasons_of(of(begin + ", 12 Insuf")), taint + "12*Insuf\u2026; ");
  for (const char* cut : {"", " ", " 1", " 12 ", " ...\""})
    EXPECT_EQ(reasons_of(of("0/30 nodes are available:" + std::string(cut))), "") << cut;
  const Diagnosis behind = of(begin + ". preemption: 0/30 nodes are avail");
  EXPECT_EQ(reasons_of(behind), taint);
  EXPECT_EQ(behind.preemption, "preemption: 0/30 nodes are avail\u2026");
}

}  // namespace
}  // namespace flowtap::diagnosis
