// What another program says of a record is no record, and what a tool puts before one is not said by a program.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/flowtap/forms/records_in.hpp"
#include "tools/flowtap/saved/unwrap/around/prefix_kind.hpp"

namespace flowtap::cli {
namespace {

const std::string kRecord =
    R"(I1126 10:00:00.103412       1 schedule_one.go:1046] "Unable to schedule pod; no fit; waiting" pod="a/b")";

using test::records_in;

// As JSON and Go write it.
std::string in_json(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return out + '"';
}

const std::vector<std::string> kTools = {
    "Nov 26 10:00:00 cp1 kube-scheduler[1234]: ",
    "Nov 26 10:00:00 master scheduler: ",
    "Nov 26 10:00:00 master scheduler[12]: ",
    "<14>1 2026-11-26T10:00:00.103412Z cp1 kube-scheduler 1234 - - ",
    "<13>scheduler: ",
    "@400000006926d0ea062a1b40 ",
    "Thu 2026-11-26 10:00:00 UTC master kube-scheduler.service[1234]: ",
    "[pod/kube-scheduler-cp1/kube-scheduler] ",
    "kube-system kube-scheduler-cp1 kube-scheduler ",
    "kube-scheduler-cp1 scheduler ",
    "kube-scheduler-1  | ",
    "2026-11-26T10:00:00Z stderr F ",
    "2026-11-26T10:00:00Z\t",
    "logs/sched.log:12:1:",
    "kube-scheduler.log-13-",
    "    MESSAGE=",
    "  message: ",
    "- log: ",
    "textPayload: ",
    "textPayload: '",
    "> ",
    "     7\t",
    "b'",
    "build\tShow the logs\t2026-11-26T10:00:00.1000017Z ",
    "Nov 26 10:00:00 cp1 kube-scheduler: message repeated 2 times: [ ",
    "INFO 2026-11-26 10:00:00,123 ",
    "{container=\"kube-scheduler\", stream=\"stderr\"} ",
};

const std::vector<std::string> kSentences = {
    "the scheduler said ",
    "we have seen this: ",
    "Nov 26 10:00:00 cp1 watcher[12]: saw: ",
    "Nov 26 10:00:00 cp1 watcher[12]: the last line was ",
    "2026-11-26T10:00:00Z INFO watcher saw: ",
    "2026-11-26 10:00:00,123 - watcher - WARNING - matched: ",
    "[info] matched ",
    "[pod/watcher-0/watcher] saw: ",
    "watcher-1  | saw: ",
    "at 10:00:00 somebody wrote: ",
    "Oops, look: ",
    "cannot parse ",
    "(see ",
    "the watcher\twrote this\t",
    "we saw this: message repeated 2 times: [ ",
};

const std::vector<std::string> kDoubted = {
    "saw: ",
    "scheduler: ",
    "<13>Nov 26 10:00:00 root: ",
    "saw ",
    "master scheduler ",
    "2026/11/26 10:00:00 saw ",
    "2026-11-26T10:00:00Z saw: ",
    "2026/11/26 10:00:00 got line ",
    "[pod/watcher-0/watcher] saw ",
    "watcher-1  | saw ",
};

TEST(PrefixKind, IsOfAToolOrASentence) {
  EXPECT_EQ(prefix_kind(""), PrefixKind::kTools);
  for (const std::string& text : kTools) EXPECT_EQ(prefix_kind(text), PrefixKind::kTools) << text;
  for (const std::string& text : kSentences) EXPECT_NE(prefix_kind(text), PrefixKind::kTools) << text;
  for (const std::string& text : kDoubted) EXPECT_EQ(prefix_kind(text), PrefixKind::kDoubted) << text;
}

TEST(Quotations, AToolsPrefixBelongsToTheForm) {
  for (const std::string& prefix : kTools)
    EXPECT_EQ(records_in(prefix + kRecord + '\n'), std::vector{kRecord}) << prefix;
}

TEST(Quotations, WhatASentenceHasIsNoRecord) {
  const std::string nested = kRecord + " err=" + in_json(kRecord);
  for (const std::vector<std::string>& all : {kSentences, kDoubted})
    for (const std::string& prefix : all)
      for (const std::string& record : {kRecord, nested})
        for (const std::string& line :
             {prefix + record, fmt::format(R"({}"{}")", prefix, record), prefix + in_json(record),
              fmt::format("{}'{}'", prefix, record),
              fmt::format(R"({{"level":"warn","message":{}}})", in_json(prefix + record)),
              fmt::format(R"("err": {},)", in_json(prefix + record)),
              fmt::format(R"(time="2026-11-26T10:00:00Z" level=info msg={})", in_json(prefix + record))})
          EXPECT_EQ(records_in("another line\n" + line + "\nand one more\n"), std::vector<std::string>{})
              << line;
}

TEST(Quotations, ARecordInJsonIsNoneEither) {
  const std::string record = R"({"ts":1795687200100.5,"caller":"a.go:1","msg":"m","v":2,"pod":{"name":"p"}})";
  EXPECT_EQ(records_in("2026-11-26T10:00:00Z stderr F " + record + '\n'), std::vector{record});
  EXPECT_EQ(records_in("we have seen this: " + record + '\n'), std::vector<std::string>{});
  EXPECT_EQ(records_in(R"({"message":)" + in_json("we have seen this: " + record) + "}\n"),
            std::vector<std::string>{});
}

// A word before each line is what a tool puts there.
TEST(Quotations, OneWordIsAPrefixIfMostLinesHaveIt) {
  for (const std::string& prefix : kDoubted) {
    const std::string line = prefix + kRecord + '\n';
    EXPECT_EQ(records_in(fmt::format("{0}{0}{0}other\n", line)), (std::vector{kRecord, kRecord, kRecord}))
        << prefix;
    EXPECT_EQ(records_in(line + line), std::vector<std::string>{}) << prefix << "may be two quotations";
    EXPECT_EQ(records_in(fmt::format("{0}a\nb\n{0}c\n{0}d\n", line)), std::vector<std::string>{}) << prefix;
  }
  const std::string one = "master: " + kRecord + '\n';
  const std::string other = "standby: " + kRecord + '\n';
  EXPECT_EQ(records_in(one + other + one + other + one + other + "a\nb\n").size(), 6U)
      << "two replicas, each on under half of the lines";
  EXPECT_EQ(records_in(one + other + one + other + "a\nb\n"), std::vector<std::string>{});
  const std::string newline = R"(\n)";
  std::string log = in_json(kRecord);
  log.pop_back();
  EXPECT_EQ(records_in("data: " + log + newline + log.substr(1) + newline + log.substr(1) + "\"\n").size(),
            1U)
      << "a whole log in a string";
  const std::string merged =
      R"(master: {"caller":"a.go:1","msg":"m","v":2,"ts":1795687200100.5})" + std::string("\n");
  EXPECT_EQ(records_in(merged + merged + merged + "a\n").size(), 3U) << "merged JSON";
  EXPECT_EQ(records_in(merged + "a\nb\n"), std::vector<std::string>{});
  const std::string block =
      "scheduler: " + kRecord + " err=<\nscheduler: \tone\nscheduler: \ttwo\nscheduler:  >\n";
  EXPECT_EQ(records_in(block + block + block).size(), 3U) << "a record's further lines have it, too";
}

// Where all of a file is rows whose fields stand below each other, one of these has the record.
TEST(Quotations, AFieldsNameIsAPrefixIfTheFileHasNothingElse) {
  const std::string field = "timestamp: 2026-11-26T10:00:00.103Z\n";
  const std::string lines = "\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\n";
  const std::string stars = "***************************";
  for (const std::string name : {"message", "log", "line", "body"}) {
    const std::string record = name + ": " + kRecord + '\n';
    const std::string row = field + record;
    for (const std::string& text :
         {"---\n" + row + "---\n" + row, row + "---\n" + record + field, row + "---\r\n" + row + "---\r\n",
          field + "labels:\n  app: x\n" + record + "---\n" + row,
          "Row 1:\n" + lines + row + "\nRow 2:\n" + lines + row,
          stars + " 1. row " + stars + '\n' + row + stars + " 2. row " + stars + '\n' + row})
      EXPECT_EQ(records_in(text), (std::vector{kRecord, kRecord})) << text;
    EXPECT_EQ(records_in(row + "---\n" + row + kRecord + '\n').size(), 1U)
        << "a log that has its own records";
  }
}

// A program that quotes a record has other lines with the same word, another word than exports have, or nothing between its lines.
TEST(Quotations, AFieldsNameIsAProgramsWordInAnyOtherFile) {
  const auto told = [](const std::string& name) { return name + ": " + kRecord + '\n'; };
  const std::string field = "level: info\n";
  const std::string row = field + told("message");
  const std::string between = "---\n";
  for (const std::string name : {"message", "log", "web", "details", "Body"})
    for (const std::string& text :
         {told(name), told(name) + told(name), field + told(name), field + told(name) + field + told(name),
          name + ": started\n" + told(name) + name + ": GET /\n",
          name + ": started\nworker: done\n" + told(name),
          between + field + told(name) + between + field + name + ": hello\n",
          between + field + name + ": hello\n" + between + field + told(name),
          between + field + told(name) + between + field, between + told(name) + between + told(name),
          between + field + told(name) + name + ": x\n" + between + field + told(name)})
      EXPECT_EQ(records_in(text), std::vector<std::string>{}) << text;
  for (const std::string& text :
       {field + told("web") + between + field + told("web"), row + between + field + told("log"),
        row + between + row + "saw this\n", row + between + row + told("saw"),
        told("saw") + between + row + between + row,
        field + told("message: saw") + between + field + told("message: saw")})
    EXPECT_EQ(records_in(text), std::vector<std::string>{}) << text;
}

}  // namespace
}  // namespace flowtap::cli
