// flowtap why --from: files that are broken, large or silent, and the exits.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/unit/flowtap/why/why_kit.hpp"

namespace flowtap {
namespace {

using diagnosis::test::golden;

TEST_F(WhyTest, StandardInputIsAFileToo) {
  const std::string log = kGolden + "scheduler/hami-2.10-success-v4.log";
  for (const std::string& pack : {std::string("cat "), std::string("gzip -c ")}) {
    const Outcome run = shell(pack + log + " | " + paths::flowtap() + " why default/gpu-pod --from - 2>&1");
    EXPECT_EQ(run.exit, 0);
    EXPECT_TRUE(run.output.starts_with("default/gpu-pod is bound to node3\n")) << run.output;
  }
}

TEST_F(WhyTest, APodThatNobodySpeaksOfExitsWith3) {
  const std::string log = from({kGolden + "scheduler/hami-2024-v4.log"});
  for (const char* const wanted : {"default/nobody", "other/hami-ok-a", "default/hami-ok"}) {
    const Outcome run = flowtap_program(std::string("why ") + wanted + log);
    EXPECT_EQ(run.exit, 3) << wanted;
    EXPECT_TRUE(run.output.starts_with(std::string("flowtap: no scheduler mentions \"") + wanted +
                                       "\" in the logs that --from names, but they mention "))
        << run.output;
    EXPECT_EQ(run.output.find("default/hami-ok-a") != std::string::npos,
              wanted != std::string("default/nobody"))
        << run.output;
  }
}

TEST_F(WhyTest, WhatCannotBeReadExitsWith1) {
  const std::string log = kGolden + "scheduler/hami-2.10-success-v4.log";
  const std::string cut = write("cut.gz", "\x1f\x8b\x08");
  const std::string zstd = write("x.zst", "\x28\xb5\x2f\xfd 1234567");
  for (const std::string& path : {dir_ / "missing", dir_ / "", cut, zstd}) {
    const Outcome run = flowtap_program("why default/gpu-pod" + from({log, path}));
    EXPECT_EQ(run.exit, 1) << path;
    EXPECT_TRUE(run.output.starts_with("flowtap: ")) << run.output;
    EXPECT_NE(run.output.find("  hint: "), std::string::npos) << run.output;
    EXPECT_EQ(std::ranges::count(run.output, '\n'), 2) << run.output;
  }
}

// The part before the break is used, except for a line that may be only half a line.
TEST_F(WhyTest, ABrokenGzipIsReadAsFarAsItGoes) {
  std::string log = golden("scheduler/hami-2.10-success-v4.log");
  for (int i = 0; i < 100'000; ++i)
    log += "I0821 07:20:00.000001       1 a.go:1] " + std::to_string(i * 7919) + '\n';
  const std::string path = write_gz("cut.gz", log);
  ASSERT_EQ(::truncate(path.c_str(), 300'000), 0);
  const Outcome run = flowtap_program("why default/gpu-pod" + from({path}));
  EXPECT_EQ(run.exit, 0);
  EXPECT_TRUE(run.output.starts_with("flowtap: " + path + " is cut: ")) << run.output;
  EXPECT_NE(run.output.find("\ndefault/gpu-pod is bound to node3\n"), std::string::npos) << run.output;
}

// What else a log may say of a pod is no answer, and not nothing.
TEST_F(WhyTest, APodThatLinesNameIsNotUnmentioned) {
  const std::string log = from({kGolden + "found/why/informed/in.log"});
  for (const char* pod : {"x/np", "x/ne", "x/upd"}) {
    const Outcome run = flowtap_program(std::string("why ") + pod + log);
    EXPECT_EQ(run.exit, 3) << pod;
    EXPECT_TRUE(run.output.starts_with("flowtap: in the logs that --from names, one line names "))
        << run.output;
  }
  const std::string more = from({write(
      "more",
      R"({"ts":1764151209000.1,"caller":"a.go:1","msg":"Looked at it","v":2,"pod":{"name":"json","namespace":"y"}})"
      "\nI1126 10:00:09.000000       1 a.go:1] \"Looked at y/dot.\"\n")});
  for (const char* pod : {"y/json", "y/dot"}) {
    const Outcome run = flowtap_program(fmt::format("why {}{}{}", pod, log, more));
    EXPECT_TRUE(run.output.starts_with("flowtap: in the logs that --from names, one line names "))
        << run.output;
  }
  EXPECT_TRUE(flowtap_program("why y/jso" + log + more).output.contains("no scheduler mentions"));
  EXPECT_TRUE(flowtap_program("why x/n" + log).output.starts_with("flowtap: no scheduler mentions \"x/n\""));
  EXPECT_FALSE(flowtap_program("why" + log).output.contains("x/run")) << "an informer tells of every pod";
}

// Each line was understood, and there is no answer all the same.
TEST_F(WhyTest, WhatSaysNothingOfAPodIsNamedToo) {
  const std::string cut =
      R"({"ts":1795687200100.1,"caller":"schedule_one.go:1129","msg":"Unable to schedule pod; no fit; waiting","v":2,"pod":{"name":"we)";
  for (const auto& [bytes, words] :
       {std::pair<std::string, std::string>{"Name:  n1\nEvents:\n  Type  Reason  Age  From  Message\n",
                                            "kubectl's output about objects"},
        {cut + '\n', "whose lines were cut"},
        {"\n\n\n", "empty lines"}}) {
    const Outcome run = flowtap_program("why" + from({write("x", bytes)}));
    EXPECT_EQ(run.exit, 1);
    EXPECT_NE(run.output.find(words), std::string::npos) << run.output;
    EXPECT_NE(run.output.find("\n  hint: "), std::string::npos) << run.output;
  }
}

TEST_F(WhyTest, HalfALineSaysNothing) {
  const std::string head = "I0821 07:20:00.000001       1 a.go:1] ";
  const std::string path = write_gz("x.gz",
                                    head + R"("NodeUnfitPod" pod="ns/p" node="n1" reason="1/1 X")" + '\n' +
                                        head + R"("NodeFitPod" pod="ns/p" node="n2" score=12.75)" + '\n',
                                    "wb0");
  const Outcome whole = flowtap_program("why ns/p" + from({path}));
  EXPECT_NE(whole.output.find("12.75"), std::string::npos) << whole.output;
  constexpr std::uintmax_t kTrailer = 8;
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - kTrailer - 2);
  const Outcome run = flowtap_program("why ns/p" + from({path}));
  EXPECT_EQ(run.exit, 0);
  EXPECT_NE(run.output.find("  n1 "), std::string::npos) << run.output;
  EXPECT_EQ(run.output.find("  n2 "), std::string::npos) << run.output;
}

TEST_F(WhyTest, WhatIsLeftOutIsSaid) {
  const std::string log = as_cri(golden("scheduler/hami-2.10-success-v4.log"));
  const Outcome run = flowtap_program("why default/gpu-pod" + from({write("x", log + "a\nb\n")}));
  EXPECT_EQ(run.exit, 0);
  EXPECT_TRUE(run.output.starts_with("flowtap: 2 of the lines of ")) << run.output;
}

TEST_F(WhyTest, OneLineMayBeTheWholeFile) {
  const std::string head = "I0821 07:20:00.000001       1 a.go:1] \"x\" y=\"";
  const std::string log = golden("scheduler/hami-2.10-success-v4.log");
  std::string line = head;
  line.resize(head.size() + 10'000'000, 'x');
  line += "\n";
  for (const std::string& bytes : {log + line, line + log, as_cri(line + log), line}) {
    const Outcome run = flowtap_program("why default/gpu-pod" + from({write("x", bytes)}));
    EXPECT_EQ(run.exit, bytes.size() == line.size() ? 1 : 0);
    EXPECT_NE(run.output.find("1 of the records of "), std::string::npos) << run.output.substr(0, 1000);
  }
}

TEST_F(WhyTest, MemoryDoesNotGrowWithTheFile) {
  static constexpr std::size_t kPieces = 768;
  const std::string path = dir_ / "x.gz";
  const std::string piece(std::size_t{1} << 20U, 'x');
  const gzFile file = ::gzopen(path.c_str(), "wb1");
  ::gzputs(file, "I0821 07:20:00.000001       1 a.go:1] ");
  for (std::size_t i = 0; i < kPieces; ++i)
    ::gzwrite(file, piece.data(), static_cast<unsigned>(piece.size()));
  ::gzclose(file);
  EXPECT_EQ(flowtap_program("why a/b" + from({path})).exit, 1);
  rusage usage{};
  ASSERT_EQ(::getrusage(RUSAGE_CHILDREN, &usage), 0);
  EXPECT_LT(static_cast<std::size_t>(usage.ru_maxrss) << 10U, kPieces / 2 * piece.size());
}

// A record that is not in order has all behind it held, and most lines are short.
TEST_F(WhyTest, LinesThatAreHeldTakeNoMoreThanSaid) {
#ifdef __SANITIZE_ADDRESS__
  static constexpr std::size_t kMost = std::size_t{1} << 30U;  // it has much beside each line
#else
  static constexpr std::size_t kMost = std::size_t{384} << 20U;
#endif
  const auto attempt = [](const std::string& time) {
    return "I0821 07:" + time + ".000001       1 a.go:1] \"Attempting to schedule pod\" pod=\"a/b\"\n";
  };
  std::string text = attempt("40:00") + attempt("10:00") + attempt("20:00") + attempt("30:00");
  for (int i = 0; i < 3'000'000; ++i) text += "x\n";
  EXPECT_EQ(flowtap_program("why a/b" + from({write_gz("x.gz", text, "wb1")})).exit, 0);
  rusage usage{};
  ASSERT_EQ(::getrusage(RUSAGE_CHILDREN, &usage), 0);
  EXPECT_LT(static_cast<std::size_t>(usage.ru_maxrss) << 10U, kMost);
}

// What the older part says of a pod comes too late to be put before it.
TEST_F(WhyTest, AnOlderPartThatComesTooLateIsTold) {
  const auto attempt = [](int minute, int i) {
    return fmt::format(
        "I0821 {:02}:{:02}:{:02}.{:06}       1 a.go:1] \"Attempting to schedule pod\" pod=\"a/b\" x=\"{}\"\n",
        7 + minute / 60, minute % 60, i / 3000, i % 3000, std::string(200, 'x'));
  };
  std::string newer;
  std::string older;
  for (int i = 0; i < 130'000; ++i) newer += attempt(100, i);
  for (int i = 0; i < 9; ++i) older += attempt(10, i);
  const Outcome both = flowtap_program("why a/b" + from({write("both", newer + older)}));
  EXPECT_NE(both.output.find(
                "both go back once, and flowtap puts its parts in order only if that begins within 32 MiB: "
                "what is shown of a pod may be old\n  hint: divide it where its times go back, "),
            std::string::npos)
      << both.output;
  for (const auto& parts : {std::vector{write("right", older + newer)},
                            std::vector{write("newer", newer), write("older", older)}}) {
    const Outcome run = flowtap_program("why a/b" + from(parts));
    EXPECT_EQ(run.output.find("go back"), std::string::npos) << run.output;
  }
}

TEST_F(WhyTest, AClockThatWasSetBackInALongLogIsNoOlderPart) {
  for (const int lines : {50'000, 150'000}) {
    std::string text;
    const auto say = [&text](int second, const std::string& what) {
      text += fmt::format("I0821 {:02}:{:02}:{:02}.000100       1 a.go:1] {} x=\"{}\"\n", 7 + second / 3600,
                          second / 60 % 60, second % 60, what, std::string(200, 'x'));
    };
    for (int i = 0; i < lines; ++i) say(i / 50, "\"Attempting to schedule pod\" pod=\"a/b\"");
    say(lines / 50 - 600, "\"Successfully bound pod to node\" pod=\"a/b\" node=\"n1\"");
    const Outcome run = flowtap_program("why a/b" + from({write("log", text)}));
    EXPECT_EQ(run.exit, 0);
    EXPECT_TRUE(run.output.starts_with("a/b is bound to n1")) << run.output.substr(0, 300);
  }
}

TEST_F(WhyTest, UsageErrorsExitWith2) {
  for (const char* const arguments :
       {"why a/", "why /b", "why a/b/c", "why a/b c/d", "why --from", "why a/b --form x", "why --watch",
        "why --evidence", "why --evidence -o json", "why a/b --watch --from x", "why --from - --from -",
        "why -o otel", "why a --from x"}) {
    const Outcome run = flowtap_program(arguments);
    EXPECT_EQ(run.exit, 2) << arguments;
    EXPECT_TRUE(run.output.starts_with("flowtap: ")) << run.output;
    EXPECT_NE(run.output.find("  hint: "), std::string::npos) << run.output;
    EXPECT_EQ(std::ranges::count(run.output, '\n'), 2) << run.output;
  }
}

}  // namespace
}  // namespace flowtap
