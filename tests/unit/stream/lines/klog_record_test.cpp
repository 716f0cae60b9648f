// Records of klog by its grammar (kubernetes/klog internal/buffer, internal/serialize; component-base logs/json).
#include "stream/lines/klog/klog_record.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "stream/lines/klog/klog_pairs.hpp"

namespace flowtap::flow {
namespace {

using Kind = KlogPair::Kind;

// "key=value" for each, the value as the program had it.
std::vector<std::string> pairs_of(std::string_view text) {
  std::vector<std::string> out;
  const auto record = parse_klog_record(text);
  if (!record) return {"none"};
  KlogPairs pairs(*record);
  for (KlogPair pair; pairs.next(pair);) out.push_back(std::string(pair.key) + '=' + klog_value(pair));
  return out;
}

std::string with_header(std::string_view body) {
  return "I0821 07:20:00.000001       1 a.go:1] " + std::string(body);
}

using Pairs = std::vector<std::string>;

TEST(KlogRecord, HeaderIsTakenApart) {
  const auto record = parse_klog_record("E0821 07:20:00.000003 1234567 a.go:3] \"pid\" err=\"x\"");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->severity, KlogSeverity::kError);
  EXPECT_EQ(record->stamp, "0821 07:20:00.000003");
  EXPECT_EQ(record->thread, "1234567");
  EXPECT_EQ(record->source, "a.go:3");
  EXPECT_EQ(record->message, "pid");
  EXPECT_TRUE(record->structured);
  EXPECT_EQ(record->body, "\"pid\" err=\"x\"");
}

TEST(KlogRecord, OnlyAHeaderBeginsARecord) {
  for (const std::string_view line :
       {"I0821 07:20:00.000001 ", "W0821 07:20:00.000001 x", R"({"ts":1795224037015.234,"msg":"x"})"})
    EXPECT_TRUE(begins_klog_record(line)) << line;
  for (const std::string_view line :
       {"", "I", "I0821 07:20:00.000001", "D0821 07:20:00.000001 x", "I0821 07:20:00.00001  x",
        "I0821 07-20:00.000001 x", " I0821 07:20:00.000001 x", "\tI0821 07:20:00.000001 x", "{", "{}",
        R"({"ts":)", R"({"ts":"x"})", R"({"metadata":{}})", "2026/11/21 01:34:50.780548 setup.go:55: x",
        "goroutine 1 [running]:"})
    EXPECT_FALSE(begins_klog_record(line)) << line;
}

TEST(KlogRecord, WhatLacksTheRestOfTheHeaderIsText) {
  const auto record = parse_klog_record("I0821 07:20:00.000001 no such thing\nmore");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->thread, "");
  EXPECT_EQ(record->message, "no such thing");
  EXPECT_FALSE(record->structured);
  EXPECT_EQ(pairs_of(with_header("plain Infof with key=value that is not structured")), Pairs{});
  EXPECT_EQ(pairs_of(with_header("\"never closed pod=\\\"ns/p")), Pairs{});
  EXPECT_EQ(pairs_of("goroutine"), Pairs{"none"});
}

TEST(KlogRecord, QuotedValues) {
  EXPECT_EQ(
      pairs_of(with_header(R"("q \"m\" with = and \\ and tab\t" k="v with \"quotes\" and ]" e="" l="a\\")")),
      (Pairs{"k=v with \"quotes\" and ]", "e=", "l=a\\"}));
  EXPECT_EQ(pairs_of(with_header(R"("m" a="\x41\u00e4\U0001f600\n\z" b="2")")),
            (Pairs{"a=A\u00e4\U0001f600\n\\z", "b=2"}));
  EXPECT_EQ(pairs_of(with_header(R"("m" a="\ud83d\ude00\ud83dx\ude00" b="\x4" c="\U00110000\")")),
            (Pairs{"a=\U0001f600\ufffdx\ufffd", "b=\\x4", "c=\\U00110000\""}));
}

TEST(KlogRecord, BlocksEndAtTheirEnd) {
  const std::string text = with_header(
      "\"multi\" first=<\n\tline 1\n\t\tindented \"x\"=1\n\n\t >\n\tline 3\n >"
      " second=\"after\" n=3 b=true f=2.35 nul=null arr=[1,2] obj={\"a\":\"} "
      "]\",\"b\":{\"c\":\"\\u003cx\\u003e\"}}");
  EXPECT_EQ(pairs_of(text), (Pairs{"first=line 1\n\tindented \"x\"=1\n\n >\nline 3\n", "second=after", "n=3",
                                   "b=true", "f=2.35", "nul=null", "arr=[1,2]",
                                   "obj={\"a\":\"} ]\",\"b\":{\"c\":\"\\u003cx\\u003e\"}}"}));
}

TEST(KlogRecord, KeysMayHaveAnything) {
  EXPECT_EQ(
      pairs_of(with_header("\"m\" device id=\"GPU-1\" device total memory=40960 NVIDIA-Tesla T4=\"NVIDIA\" "
                           "current device info is:={\"ID\":\"GPU-1\"} node device nums (type)=2 "
                           "hami.io/mutex.lock=\"a,b\"")),
      (Pairs{"device id=GPU-1", "device total memory=40960", "NVIDIA-Tesla T4=NVIDIA",
             "current device info is:={\"ID\":\"GPU-1\"}", "node device nums (type)=2",
             "hami.io/mutex.lock=a,b"}));
}

TEST(KlogRecord, OldAndOddValues) {
  EXPECT_EQ(pairs_of(with_header("\"odd\" a=\"1\" a=\"2\" numa=\"(MISSING)\"")),
            (Pairs{"a=1", "a=2", "numa=(MISSING)"}));
  EXPECT_EQ(
      pairs_of(with_header("\"old\" pod=\"ns/p\" conditionType=PodScheduled info=&{x y=1} list=[a b] end=")),
      (Pairs{"pod=ns/p", "conditionType=PodScheduled", "info=&{x", "y=1}", "list=[a b]", "end="}));
  EXPECT_EQ(pairs_of(with_header("\"open\" a={b pod=\"ns/p\"")), (Pairs{"a={b", "pod=ns/p"}));
  EXPECT_EQ(pairs_of(with_header("\"raw\" a=1\ngoroutine 1 b=2\n c=3")), (Pairs{"a=1"}));
}

// Old klog's %+v of a map: it is read up to where it is closed, or up to its first space if it is not closed.
TEST(KlogRecord, GoMaps) {
  EXPECT_EQ(pairs_of(with_header(R"("m" a=map[x:{} y:[{1 b c=d}]] e="f")")),
            (Pairs{"a=map[x:{} y:[{1 b c=d}]]", "e=f"}));
  EXPECT_EQ(pairs_of(with_header(R"("m" a=map[] e="f")")), (Pairs{"a=map[]", "e=f"}));
  EXPECT_EQ(pairs_of(with_header(R"("m" a=map[x:{ y] e="f")")), (Pairs{"a=map[x:{", "y] e=f"}));
}

TEST(KlogRecord, MembersOfAnObject) {
  const std::string_view text =
      R"({"ts":1795224038348.28,"logger":"P.D","caller":"a.go:1","msg":"No \"x\"","pod":{"name":"p","namespace":"ns"},)"
      R"("v":2,"pod":{"name":"p","namespace":"ns"},"list":[1,{"a":"]"}],"ok":true})";
  const auto record = parse_klog_record(text);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->form, KlogForm::kJson);
  EXPECT_EQ(record->severity, std::nullopt);
  EXPECT_EQ(record->stamp, "1795224038348.28");
  EXPECT_EQ(record->source, "a.go:1");
  EXPECT_EQ(record->message, R"(No \"x\")");
  EXPECT_EQ(record->logger, "P.D");
  EXPECT_EQ(pairs_of(text),
            (Pairs{R"(pod={"name":"p","namespace":"ns"})", "v=2", R"(pod={"name":"p","namespace":"ns"})",
                   R"(list=[1,{"a":"]"}])", "ok=true"}));
  KlogPairs pod = KlogPairs::of_object(R"({"name":"p", "namespace" : "n\u0073"})");
  KlogPair pair;
  ASSERT_TRUE(pod.next(pair));
  EXPECT_EQ(pair.value, "p");
  ASSERT_TRUE(pod.next(pair));
  EXPECT_EQ(klog_value(pair), "ns");
  EXPECT_FALSE(pod.next(pair));
  EXPECT_EQ(pairs_of(R"({"ts":1,"msg":"a\ud83d\ude00","k":"v","broken)"), (Pairs{"k=v"}));
}

TEST(KlogRecord, WhatNeedsNoUnescapingIsNotCopied) {
  const std::string text = with_header("\"m\" a=\"plain\" b=\"two\\nlines\" c=<\n\tx\n > n=12 o={\"p\":1}");
  const auto record = parse_klog_record(text);
  ASSERT_TRUE(record);
  KlogPairs pairs(*record);
  std::string buffer;
  std::vector<std::string> copied;
  for (KlogPair pair; pairs.next(pair);) {
    const std::string_view value = klog_text(pair, buffer);
    EXPECT_EQ(value, klog_value(pair));
    if (value.data() != pair.value.data()) copied.emplace_back(pair.key);
  }
  EXPECT_EQ(copied, (std::vector<std::string>{"b", "c"}));
}

TEST(KlogRecord, OnlyJsonsNumbersAreNumbers) {
  const std::string text =
      with_header(R"("m" a=-1.5e+06 b=0 c=1e d=-- e=+5 f=0x1f g=5m0s h=1. i=.5 j=true k=e)");
  KlogPairs pairs(*parse_klog_record(text));
  std::string json;
  for (KlogPair pair; pairs.next(pair);)
    if (pair.kind == Kind::kJson) json += pair.key;
  EXPECT_EQ(json, "abj");
}

TEST(KlogRecord, ObjectsInTextAndJson) {
  const auto object = [](Kind kind, std::string_view value) {
    const auto found = klog_object({.key = "pod", .kind = kind, .value = value});
    return found ? std::string(found->ns) + '|' + std::string(found->name) : "none";
  };
  EXPECT_EQ(object(Kind::kQuoted, "ns/p"), "ns|p");
  EXPECT_EQ(object(Kind::kString, "node-1"), "|node-1");
  EXPECT_EQ(object(Kind::kJson, R"({"name":"p","namespace":"ns"})"), "ns|p");
  EXPECT_EQ(object(Kind::kJson, R"({"name":"node-1"})"), "|node-1");
  EXPECT_EQ(object(Kind::kJson, R"({"name":{"name":"p"},"namespace":"ns"})"), "ns|");
  EXPECT_EQ(object(Kind::kJson, "12"), "none");
  EXPECT_EQ(object(Kind::kUnquoted, "ns/p"), "none");
  EXPECT_EQ(object(Kind::kBlock, "\tns/p\n"), "none");
}

// Wherever a record is divided, going on from at() when more has come gives the pairs of the whole record.
// A collector's comma, a table's border, a quote around the whole line.
TEST(KlogRecord, WhatFramesALineIsNoValue) {
  for (const char* const frame :
       {",", "</td>", "|", "\\n", "\r", "', 'stream': 'stderr'}", "\" pod=ks", "\""})
    EXPECT_EQ(pairs_of(with_header(R"("m" pod="ns/p" err="a b")" + std::string(frame))),
              (Pairs{"pod=ns/p", "err=a b"}))
        << frame;
}

// What unescapes a line on its way takes the backslashes of its values away.
TEST(KlogRecord, AValueThatBeginsWithAQuoteIsNoWord) {
  EXPECT_EQ(pairs_of(with_header(R"("m" err="claim "data" not found." pod="ns/p")")),
            (Pairs{"err=claim \"data\" not found.", "pod=ns/p"}));
  EXPECT_EQ(pairs_of(with_header(R"("m" err="Post "http://h/f": EOF")")),
            (Pairs{"err=Post \"http://h/f\": EOF"}));
  EXPECT_EQ(pairs_of(with_header(R"("m" err="claim "data" not found.",)")),
            (Pairs{"err=claim \"data\" not found."}));
  EXPECT_EQ(pairs_of(with_header(R"("m" err="claim "da)")), (Pairs{"err=claim \"da"})) << "cut";
  EXPECT_EQ(pairs_of(with_header(R"("m" err="claim "data" not fo)")), (Pairs{"err=claim \"data\" not fo"}));
  EXPECT_EQ(pairs_of(R"({"ts":1,"msg":"m","err":"claim "data" not found.","n":1})"),
            (Pairs{"err=claim \"data\" not found.", "n=1"}));
  EXPECT_EQ(pairs_of(R"({"ts":1,"msg":"m","err":"claim "data" not fo)"),
            (Pairs{"err=claim \"data\" not fo"}));
}

TEST(KlogRecord, IsReadOnWhereItWasCut) {
  for (const std::string& text :
       {with_header(
            "\"m\" odd=\"a \"b\" a=\"x y\" device id=[1,{\"b\":2}] c=<\n\tq=\"1\"\n > pod=\"ns/p\" n=12"),
        std::string(R"({"ts":1,"msg":"m","a":"x","pod":{"name":"p","namespace":"ns"},"n":12,"o":[1]})")}) {
    const Pairs whole = pairs_of(text);
    const auto record = parse_klog_record(text);
    ASSERT_TRUE(record);
    const std::size_t header = text.size() - record->body.size();
    for (std::size_t size = header + record->pairs; size < text.size(); ++size) {
      Pairs seen;
      const std::size_t at = record->pairs;
      KlogPair pair;
      KlogPairs part(record->form, std::string_view(text).substr(header, size - header), at, true);
      while (part.next(pair)) seen.push_back(std::string(pair.key) + '=' + klog_value(pair));
      EXPECT_TRUE(part.cut()) << size;
      KlogPairs rest(record->form, record->body, part.at());
      while (rest.next(pair)) seen.push_back(std::string(pair.key) + '=' + klog_value(pair));
      EXPECT_EQ(seen, whole) << text.substr(0, size);
    }
  }
}

}  // namespace
}  // namespace flowtap::flow
