// flowtap tap as a program: what it shows of a process, and how it ends.
#include "tests/support/eventually.hpp"
#include "tests/support/paths/paths.hpp"
#include "tests/unit/flowtap/flowtap_fixture.hpp"

namespace flowtap {
namespace {

TEST_F(FlowtapTest, TapKeepsTheTwoOutputsApartAndEndsWithTheProcess) {
  node_.captured = &flows_;
  const auto out = flows_.add(7, api::Outputs::kStdout);
  const auto err = flows_.add(7, api::Outputs::kStderr);
  start();
  auto process = once_followed(out, [out, err] {
    EXPECT_TRUE(test::eventually([&] { return err->readers() > 0; }));
    out->append(std::string_view("raw \x1b[2J \xff\0 bytes", 18));
    err->append("a complaint\n");
    out->lose(1234);
    out->append("\nand more");
    out->end();
    err->end();
  });
  const std::string files = dir_ / "out" + " 2>" + (dir_ / "err");
  const Outcome run = shell(paths::flowtap() + " tap 7" + at() + " >" + files);
  process.join();
  EXPECT_EQ(run.exit, 0);
  EXPECT_EQ(shell("cat " + (dir_ / "out")).output,
            std::string("raw \x1b[2J \xff\0 bytes", 18) + "\nand more");
  EXPECT_EQ(shell("cat " + (dir_ / "err")).output,
            "a complaint\nflowtap: 1,234 bytes are not shown: they could not be captured\n");
}

// The objects of `flowtap logs -o json`, for both outputs, on our standard output.
TEST_F(FlowtapTest, TapHasObjectsForLines) {
  node_.captured = &flows_;
  const auto out = flows_.add(7, api::Outputs::kStdout);
  const auto err = flows_.add(7, api::Outputs::kStderr);
  start();
  auto process = once_followed(out, [out, err] {
    EXPECT_TRUE(test::eventually([&] { return err->readers() > 0; }));
    out->append("2026-01-02T03:04:05.000000006Z a \x1b[2J \xff");
    out->append("b\n2026-01-02T03:04:06.000000000Z half");
    err->append("2026-01-02T03:04:07.000000000Z a complaint\n");
    err->end();
    out->end();
  });
  const Outcome run = shell(paths::flowtap() + " tap 7 -o json" + at() + " 2>" + (dir_ / "err"));
  process.join();
  EXPECT_EQ(run.exit, 0);
  EXPECT_EQ(occurrences(run.output, "\n"), 3U) << run.output;
  EXPECT_NE(run.output.find(R"({"time":"2026-01-02T03:04:05.000000006Z","text":"a \u001b[2J \\xffb"})"
                            "\n"),
            std::string::npos)
      << run.output;
  EXPECT_NE(run.output.find(R"({"time":"2026-01-02T03:04:06.000000000Z","text":"half"})"
                            "\n"),
            std::string::npos)
      << run.output;
  EXPECT_NE(run.output.find(R"({"time":"2026-01-02T03:04:07.000000000Z","text":"a complaint"})"
                            "\n"),
            std::string::npos)
      << run.output;
  EXPECT_EQ(shell("cat " + (dir_ / "err")).output, "");
  EXPECT_TRUE(flows_.options.lines && flows_.options.timestamps);
}

TEST_F(FlowtapTest, TapOnATerminalShowsControlCharactersEscaped) {
  node_.captured = &flows_;
  const auto out = flows_.add(7, api::Outputs::kStdout);
  out->set_largest_piece([] { return std::size_t{1}; });  // every character comes in pieces
  start();
  auto process = once_followed(out, [out] {
    out->append("\xe2\x82\xac\t\x1b[2J\r\n\xff\xe2\x82");
    out->end();
  });
  const Outcome run =
      shell("script -qec '" + paths::flowtap() + " tap 7 --stdout" + at() + "' /dev/null </dev/null");
  process.join();
  EXPECT_EQ(run.exit, 0);
  EXPECT_EQ(run.output, "\xe2\x82\xac\t\\x1b[2J\\r\r\n\\xff\\xe2\\x82");  // the terminal adds \r before \n
}

TEST_F(FlowtapTest, TapGoesOnWithTheOutputThatCanBeFollowed) {
  node_.captured = &flows_;
  const auto out = flows_.add(7, api::Outputs::kStdout);
  flows_.refuse(7, api::Outputs::kStderr, {"it is /dev/null", "", ENOTSUP});
  start();
  auto process = once_followed(out, [out] {
    out->append("x\n");
    out->end();
  });
  const Outcome run = flowtap("tap 7" + at());
  process.join();
  EXPECT_EQ(run.exit, 0);
  EXPECT_NE(run.output.find("flowtap: stderr is not followed: it is /dev/null\n"), std::string::npos);
  EXPECT_NE(run.output.find("x\n"), std::string::npos);
  EXPECT_EQ(flowtap("tap 7 --stderr" + at()).exit, 1);
  flows_.refuse(7, api::Outputs::kStdout, {"it is closed", "", ENOTSUP});
  const Outcome none = flowtap("tap 7" + at());
  EXPECT_EQ(none.exit, 1);
  EXPECT_EQ(occurrences(none.output, "is not followed"), 2U) << none.output;
}

TEST_F(FlowtapTest, TapOfNoProcessExitsWith3) {
  node_.captured = &flows_;
  start();
  const Outcome run = flowtap("tap 8" + at());
  EXPECT_EQ(run.exit, 3);
  EXPECT_EQ(occurrences(run.output, "flowtap: there is no process 8\n"), 1U) << run.output;
}

TEST_F(FlowtapTest, TapEndsOnASignalAndStillSaysWhatIsMissing) {
  node_.captured = &flows_;
  const auto out = flows_.add(7, api::Outputs::kStdout);
  start();
  auto process = once_followed(out, [out] {
    out->append("x\n");
    out->lose(5);
    out->append("y\n");
  });
  const std::string file = dir_ / "out";
  const Outcome run = shell(paths::flowtap() + " tap 7 --stdout" + at() + " >" + file + R"( 2>&1 & pid=$!
    for i in $(seq 3000); do grep -q y )" +
                            file + R"( 2>/dev/null && break; sleep 0.01; done
    kill -INT $pid; wait $pid; echo "exit $?")");
  process.join();
  EXPECT_EQ(run.output, "exit 0\n");
  EXPECT_EQ(shell("cat " + file).output,
            "x\ny\nflowtap: 5 bytes are not shown: they could not be captured\n");
}

}  // namespace
}  // namespace flowtap
