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

TEST(Yaml, ASyntaxErrorHasItsLine) {
  EXPECT_EQ(refusal("a: 1\nb: {c\n").substr(0, 4), "y:3:");
  EXPECT_EQ(refusal("a: 1\n b: 2\n").substr(0, 4), "y:2:");
}

}  // namespace
}  // namespace flowtap
