// The forms in which runtimes keep bytes.
#include "stream/repair/runtime_files/kept_form.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace flowtap::flow {
namespace {

// Parts of lines; one that ends in a newline ends its line.
std::string without_returns(const std::vector<std::string_view>& parts) {
  WithoutReturns form;
  std::string out;
  for (std::string_view part : parts) {
    const bool full = part.ends_with('\n');
    part.remove_suffix(full ? 1 : 0);
    form.add(out, part, full);
  }
  return out;
}

TEST(WithoutReturns, AreTheSameHoweverManyWereDropped) {
  for (const char* text : {"a\n", "a\r\n", "a\r\r\n", "a\r\r\r\n"}) EXPECT_EQ(without_returns({text}), "a\n");
  EXPECT_EQ(without_returns({"\r\n", "b\r\n"}), "\nb\n");
}

TEST(WithoutReturns, AreSeenAcrossParts) {
  EXPECT_EQ(without_returns({"a\r", "\n"}), "a\n");
  EXPECT_EQ(without_returns({"a\r", "\r", "\r\n", "b\n"}), "a\nb\n");
  EXPECT_EQ(without_returns({"10 %\r", "20 %\r", "\r", "30 %\n"}), "10 %\r20 %\r\r30 %\n")
      << "no newline follows";
}

TEST(WithoutReturns, WaitForWhatComes) {
  WithoutReturns form;
  std::string out;
  form.add(out, "a\r\r", false);
  EXPECT_EQ(out, "a");
  EXPECT_EQ(form.kept_before("b"), 2U);
  EXPECT_EQ(form.kept_before("\rb"), 2U);
  EXPECT_EQ(form.kept_before("\n"), 0U);
  EXPECT_EQ(form.kept_before("\r\nb"), 0U);
}

}  // namespace
}  // namespace flowtap::flow
