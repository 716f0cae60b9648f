// The YAML reader against texts that are too large or use too much of YAML.
#include "daemon/config/yaml.hpp"

#include <gtest/gtest.h>

namespace flowtap {
namespace {

std::string refusal(std::string_view text, const YamlLimits& limits = {}) {
  const auto root = read_yaml(text, "y", limits);
  return root ? "accepted" : root.error().what;
}

TEST(Yaml, KeepsOrderLinesAndTypes) {
  const auto root = read_yaml("a: 1\nb:\n  - x\n  -\nc:\n  d: 'q'\n", "y");
  ASSERT_TRUE(root) << root.error().what;
  ASSERT_EQ(root->map.size(), 3U);
  EXPECT_EQ(root->map[0].key, "a");
  EXPECT_EQ(root->map[0].value.scalar, "1");
  EXPECT_EQ(root->map[1].value.type, YamlNode::Type::kList);
  ASSERT_EQ(root->map[1].value.list.size(), 2U);
  EXPECT_EQ(root->map[1].value.list[0].line, 3);
  EXPECT_EQ(root->map[1].value.list[1].type, YamlNode::Type::kNothing);
  EXPECT_EQ(root->map[2].value.line, 5);
  EXPECT_EQ(root->map[2].value.map[0].value.scalar, "q");
}

TEST(Yaml, AnAliasBombIsRefusedAtItsFirstAnchor) {
  EXPECT_EQ(
      refusal("a: &a [x, x]\nb: [*a, *a]\n"),
      "y:1: anchors (&) and aliases (*) are not used here; write the value out, in quotes if it is text");
  for (const char* text : {"a: &x\n", "&x a: 1\n", "a: &x {}\n", "a: &x 1\n"})
    EXPECT_TRUE(refusal(text).starts_with("y:1: anchors (&)")) << text;
  EXPECT_TRUE(refusal("a: *b\n").starts_with("y:1: "));
}

TEST(Yaml, DepthIsBounded) {
  EXPECT_EQ(refusal("a:\n b:\n  c:\n   d: 1\n", {.depth = 3}), "y:4: nested more than 3 levels deep");
  EXPECT_EQ(refusal(std::string(20, '[') + std::string(20, ']')), "y:1: nested more than 16 levels deep");
  EXPECT_EQ(refusal(std::string(500'000, '[')).substr(0, 4), "y:1:");
  EXPECT_EQ(refusal(std::string(500'000, '{')).substr(0, 4), "y:1:");
}

TEST(Yaml, SizeAndNumberAreBounded) {
  EXPECT_EQ(refusal("abcdef", {.bytes = 5}), "y: larger than 5 bytes");
  EXPECT_EQ(refusal("[1, 2,\n 3, 4]", {.nodes = 4}), "y:2: more than 4 keys and values");
}

TEST(Yaml, AKeyGivenTwiceIsRefused) {
  EXPECT_EQ(refusal("a: 1\nb: 2\n\na: 3\n"), "y:4: key \"a\" is given twice, first on line 1");
  EXPECT_EQ(refusal("{a: {b: 1, b: 2}}"), "y:1: key \"b\" is given twice, first on line 1");
}

TEST(Yaml, WhatConfigurationDoesNotNeedIsRefused) {
  EXPECT_EQ(refusal("a: !!python/object x"),
            "y:1: tags (\"tag:yaml.org,2002:python/object\") are not used here");
  EXPECT_EQ(refusal("a: 1\n---\nb: 2\n"), "y: it has more than one YAML document; flowtapd reads one");
  EXPECT_EQ(refusal("? [a]\n: b\n"), "y:1: a key must be one word, not a list or a section");
  EXPECT_EQ(refusal(": b\n"), "y:1: a key is missing before the colon");
}

TEST(Yaml, QuotationsEndAtTheirMarks) {
  const auto root = read_yaml("a: \"x\\\"y\\\\\"\nb: 'it''s'\n'c': \"\"\nd: don't\n", "y");
  ASSERT_TRUE(root) << root.error().what;
  EXPECT_EQ(root->map[0].value.scalar, "x\"y\\");
  EXPECT_EQ(root->map[1].value.scalar, "it's");
  EXPECT_EQ(root->map[2].value.scalar, "");
  EXPECT_EQ(root->map[3].value.scalar, "don't");
  EXPECT_TRUE(read_yaml("\xef\xbb\xbf"
                        "a: \"x\"\n  b",
                        "y")
                  .error()
                  .what.starts_with("y:"))
      << "no quotation is open";
  EXPECT_TRUE(
      read_yaml("\xef\xbb\xbf"
                "a: 'x'\nbcd: 1\n",
                "y"));
}

TEST(Yaml, ASyntaxErrorIsToldWhereItsCauseIs) {
  struct Row {
    const char* text;
    const char* what;
    const char* hint;
  };
  const std::string columns =
      "the keys of one section begin in the same column, and a value that has \": \" or \" #\" in it stands "
      "in quotes";
  for (const Row& row : {
           Row{"a: [b", "y:1: the list that begins here with [ is not closed",
               "write ] behind its last member"},
           {"a: [b\n", "y:1: the list that begins here with [ is not closed",
            "write ] behind its last member"},
           {"a: 1\nb: {c\n", "y:2: the section that begins here with { is not closed",
            "write } behind its last value"},
           {"a: 1\nb: [c,\n d\n\n", "y:2: the list that begins here with [ is not closed",
            "write ] behind its last member"},
           {"\ta: 1", "y:1: a tab stands before this line's first word, where YAML takes spaces alone",
            "indent with spaces"},
           {"a:\n  b: 1\n\tc: 1\n",
            "y:3: a tab stands before this line's first word, where YAML takes spaces alone",
            "indent with spaces"},
           {"a: 1\nb: \"1s\nc: 2\n", "y:2: a quotation mark is opened here and not closed",
            "close it, or leave it out"},
           {"a: 'it''s", "y:1: a quotation mark is opened here and not closed", "close it, or leave it out"},
           {"a: \"it\\\"s\n\n", "y:1: a quotation mark is opened here and not closed",
            "close it, or leave it out"},
           {"a: 1\n b: 2\n", "y:2: this line is no \"key: value\" of the section that it stands in",
            columns.c_str()},
           {"a: b: c\n", "y:1: this line is no \"key: value\" of the section that it stands in",
            columns.c_str()},
           {"a:\n    b: 1\n  c: 2\n", "y:3: this line belongs to no section and no list above it",
            columns.c_str()},
           {"a: @b\n", "y:1: this is no YAML (unknown token)",
            "flowtapd --print-config shows how a configuration is written"},
       }) {
    const auto root = read_yaml(row.text, "y");
    ASSERT_FALSE(root) << row.text;
    EXPECT_EQ(root.error().what, row.what) << row.text;
    EXPECT_EQ(root.error().hint, row.hint) << row.text;
  }
}

}  // namespace
}  // namespace flowtap
