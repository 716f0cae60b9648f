// Lines as JSON: each output's lines, and gaps that no container can feign.
#include "stream/reading/forms/json_form.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "stream/lines/line_assembler.hpp"

namespace flowtap {
namespace {

class JsonFormTest : public testing::Test {
 protected:
  void take(JsonForm& form, std::string_view text, bool full = true, std::string_view output = "stdout") {
    form.take({.time = ++time_, .output = output, .full = full, .missing = {}, .text = text}, piece_);
  }
  void lose(JsonForm& form, flow::MissingCause cause = flow::MissingCause::kUnknown) {
    form.take({.time = ++time_,
               .output = "stdout",
               .full = true,
               .missing = 7,
               .text = flow::gap_text(7, cause),
               .cause = cause},
              piece_);
  }
  // What came since the last call, without what all objects have in common.
  std::string got() {
    std::string text = std::exchange(piece_.bytes, {});
    const std::string time = R"({"time":"1970-01-01T00:00:00.00000000)";
    for (std::size_t at = 0; (at = text.find(time, at)) != std::string::npos;) text.erase(at, time.size());
    return text;
  }

  std::uint64_t time_ = 0;
  api::BodyReader::Piece piece_;
};

TEST_F(JsonFormTest, EachLineOfAnOutputIsAnObject) {
  JsonForm form({});
  take(form, "one"), take(form, "tw", false), take(form, "err", true, "stderr"), take(form, "o"),
      take(form, "");
  EXPECT_EQ(got(),
            "1Z\",\"text\":\"one\"}\n3Z\",\"text\":\"err\"}\n2Z\",\"text\":\"two\"}\n5Z\",\"text\":\"\"}\n");
  take(form, std::string_view("\xff\0\"", 3)), take(form, "end", false);
  EXPECT_EQ(got(), "6Z\",\"text\":\"\\\\xff\\u0000\\\"\"}\n");
  form.finish(piece_);
  EXPECT_EQ(got(), "7Z\",\"text\":\"end\",\"partial\":true}\n");
}

TEST_F(JsonFormTest, GapsAndWhatTheyHaveCut) {
  JsonForm form({.gaps = true});
  take(form, "cut o", false), take(form, "whole", false, "stderr"), lose(form, flow::MissingCause::kRingFull);
  EXPECT_EQ(got(),
            "1Z\",\"text\":\"cut o\",\"cut\":true}\n"
            "3Z\",\"text\":\"[flowtap: 7 bytes are missing here: the ring was full]\",\"missing_bytes\":7,"
            "\"cause\":\"ring_full\",\"stream\":\"stdout\"}\n");
  EXPECT_EQ(piece_.missing_before, 7U);
  take(form, "ff"), take(form, "", true, "stderr"), lose(form);
  EXPECT_EQ(
      got(),
      "4Z\",\"text\":\"ff\"}\n2Z\",\"text\":\"whole\"}\n"
      "6Z\",\"text\":\"[flowtap: 7 bytes are missing here]\",\"missing_bytes\":7,\"stream\":\"stdout\"}\n");
  take(form, "cut", false), form.jump(piece_), form.say("2 lines", piece_);
  EXPECT_EQ(got(), "7Z\",\"text\":\"cut\",\"cut\":true}\n{\"text\":\"[flowtap: 2 lines]\"}\n");
  // Nobody knows how many bytes, so no number says it.
  const std::string broke_off = flow::gap_text(0, flow::MissingCause::kBrokeOff);
  form.take({.time = ++time_,
             .output = "stderr",
             .full = true,
             .missing = 0,
             .text = broke_off,
             .cause = flow::MissingCause::kBrokeOff},
            piece_);
  EXPECT_EQ(got(), "8Z\",\"text\":\"" + broke_off + "\",\"cause\":\"broke_off\",\"stream\":\"stderr\"}\n");
  // A container may write what we write, but not the members.
  take(form, "[flowtap: 7 bytes are missing here]\",\"missing_bytes\":7");
  EXPECT_EQ(got(), "9Z\",\"text\":\"[flowtap: 7 bytes are missing here]\\\",\\\"missing_bytes\\\":7\"}\n");
  JsonForm plain({});
  take(plain, "cu", false), lose(plain), take(plain, "t");
  EXPECT_EQ(got(),
            "{\"time\":\"1970-01-01T00:00:00.000000010Z\",\"text\":\"cu\",\"cut\":true}\n"
            "{\"time\":\"1970-01-01T00:00:00.000000012Z\",\"text\":\"t\"}\n");
}

TEST_F(JsonFormTest, ALineWithoutEndIsGivenInParts) {
  JsonForm form({});
  const std::string part(flow::kMaxLine, 'x');
  std::size_t parts = 0;
  std::size_t bytes = 0;
  for (int i = 0; i < 100; ++i) {
    take(form, part, false);
    bytes = std::max(bytes, piece_.bytes.size());
    const std::string text = std::exchange(piece_.bytes, {});
    if (text.empty()) continue;
    ++parts;
    EXPECT_TRUE(text.ends_with("\",\"partial\":true}\n"));
  }
  EXPECT_EQ(parts, 100 * flow::kMaxLine / JsonForm::kLongest);
  EXPECT_LE(bytes, JsonForm::kLongest + flow::kMaxLine);
}

TEST_F(JsonFormTest, NoMoreBytesThanAskedAndNoHalfObject) {
  JsonForm form({.limit_bytes = 120});
  take(form, "one"), take(form, "two"), take(form, "three");
  EXPECT_EQ(got(), "1Z\",\"text\":\"one\"}\n2Z\",\"text\":\"two\"}\n");
  EXPECT_TRUE(piece_.end);
}

}  // namespace
}  // namespace flowtap
