// What Docker keeps is compared with what was written, wherever either side is cut.
#include "stream/repair/kept_comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "stream/repair/runtime_files/kept_form.hpp"

namespace flowtap::flow {
namespace {

using Result = KeptComparison::Result;
const std::string kFffd(kReplacement);

// Both sides come in parts of so many bytes.
Result compare(std::string_view written, std::string_view kept, std::size_t ours, std::size_t theirs,
               bool replaces = true) {
  KeptComparison comparison(replaces);
  while (true) {
    const Result result = comparison.go_on();
    if (result == Result::kNeedsWritten) {
      if (written.empty()) comparison.end_written();
      comparison.add_written(written.substr(0, ours));
      written.remove_prefix(std::min(ours, written.size()));
    } else if (result == Result::kNeedsKept) {
      if (kept.empty()) comparison.end_kept();
      comparison.add_kept(kept.substr(0, theirs));
      kept.remove_prefix(std::min(theirs, kept.size()));
    } else {
      return result;
    }
  }
}

// In parts of all sizes: a runtime's parts are whole lines, so they are not cut amid a character.
void expect(Result result, const std::string& written, const std::string& kept) {
  for (const std::size_t ours :
       {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{7}, written.size() + 1})
    EXPECT_EQ(compare(written, kept, ours, kept.size() + 1), result) << ours << " of " << written;
}

TEST(KeptComparison, EachByteThatIsNotUtf8IsReplaced) {
  expect(Result::kEqual, "caf\xE9, \xE4\xF6 and caf\xC3\xA9\n",
         "caf" + kFffd + ", " + kFffd + kFffd + " and caf\xC3\xA9\n");
  expect(Result::kDiffers, "cafe\n", "caf" + kFffd + "\n");
  expect(Result::kDiffers, "\xE9\xE9\n", kFffd + "\n");
  expect(Result::kOnlyKept, "\xE9", kFffd + kFffd);
  expect(Result::kOnlyWritten, "\xE9\xE9", kFffd);
}

TEST(KeptComparison, OneThatWasWrittenIsItself) {
  expect(Result::kEqual, "a" + kFffd + "b\xE9" + kFffd + "\n", "a" + kFffd + "b" + kFffd + kFffd + "\n");
  expect(Result::kDiffers, "a" + kFffd + "b\n", "a" + kFffd + "c\n");
  expect(Result::kOnlyWritten, kFffd + "b", kFffd);
}

// Docker makes three of one that stands across the end of a piece of 16 KiB. The captured side has such pieces, too.
TEST(KeptComparison, OneThatWasCutIsKeptAsThree) {
  const std::string before(16'383, 'x');
  for (const std::size_t of_it : {std::size_t{1}, std::size_t{2}}) {
    const std::string start = before.substr(of_it - 1);
    const std::string written = start + kFffd + "goes on\n";
    const std::string kept = start + kFffd + kFffd + kFffd + "goes on\n";
    for (const std::size_t part : {std::size_t{16'384}, std::size_t{16'385}, std::size_t{100'000}}) {
      EXPECT_EQ(compare(written, kept, part, 100'000), Result::kEqual) << part;
      EXPECT_EQ(compare(written, kept, part, start.size() + 3), Result::kEqual) << part;
      EXPECT_EQ(compare(written, kept, part, start.size() + 6), Result::kEqual) << part;
    }
    EXPECT_EQ(compare(written, start + kFffd + kFffd + "goes on\n", 100'000, 100'000), Result::kDiffers);
    EXPECT_EQ(compare(written, start + kFffd + "goes on\n", 16'384, 100'000), Result::kEqual)
        << "not cut by Docker";
  }
}

TEST(KeptComparison, ALongRunMayBeCutAgainAndAgain) {
  const auto run = [](std::size_t n) {
    std::string all;
    for (std::size_t i = 0; i < n; ++i) all += kReplacement;
    return all;
  };
  constexpr std::size_t kMany = 40'000;
  EXPECT_EQ(compare(run(kMany) + "\n", run(kMany) + "\n", 16'384, 65'536 * 3), Result::kEqual);
  EXPECT_EQ(compare(run(kMany) + "\n", run(kMany + 2 * 5) + "\n", 16'384, 65'536 * 3), Result::kEqual);
  EXPECT_EQ(compare(run(kMany) + "\n", run(kMany + 1) + "\n", 16'384, 65'536 * 3), Result::kDiffers);
  EXPECT_EQ(compare(run(kMany) + "\n", run(kMany + 2 * 60) + "\n", 16'384, 65'536 * 3), Result::kDiffers)
      << "as often as it can be";
}

TEST(KeptComparison, OthersReplaceNothing) {
  EXPECT_EQ(compare("caf\xE9", "caf" + kFffd, 100, 100, false), Result::kDiffers);
  EXPECT_EQ(compare("caf\xE9" + kFffd, "caf\xE9" + kFffd, 2, 3, false), Result::kEqual);
  EXPECT_EQ(compare("", "", 1, 1, false), Result::kEqual);
}

TEST(KeptComparison, SaysWhereTheyDiffer) {
  KeptComparison comparison(true);
  comparison.add_written("one\ntwo\n");
  comparison.add_kept("one\ntoo\n");
  EXPECT_EQ(comparison.go_on(), Result::kDiffers);
  EXPECT_EQ(comparison.equal(), 5U);
}

}  // namespace
}  // namespace flowtap::flow
