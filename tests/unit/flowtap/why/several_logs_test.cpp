// flowtap why --from: two schedulers in one export, whose lines stand between each other's.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <filesystem>
#include <string>

#include "tests/unit/flowtap/why/why_kit.hpp"

namespace flowtap {
namespace {

namespace json = boost::json;

json::object answer(const std::string& pod, const std::string& file) {
  const Outcome run = flowtap_program("why " + pod + " -o json --evidence" + from({file}));
  json::error_code error;
  const json::value read = json::parse(run.output, error);
  EXPECT_TRUE(!error && read.is_object()) << file << ": " << run.output;
  return read.is_object() ? read.get_object() : json::object();
}

TEST_F(WhyTest, EachOfTwoSchedulersInAnExportHasItsOwnWord) {
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(kGolden + "found/why/two-schedulers")) {
    ++files;
    SCOPED_TRACE(file.path().filename().string());
    const json::object web = answer("shop/web-0", file.path());
    const json::object train = answer("ml/train-0", file.path());
    EXPECT_EQ(web.at("scheduler"), "kube-scheduler");
    EXPECT_EQ(train.at("scheduler"), "gpu-scheduler") << "the other log has its configuration";
    EXPECT_EQ(train.at("status"), "failed") << "what the other one's value quotes";
    EXPECT_TRUE(json::serialize(train).contains("4 Insufficient nvidia.com/gpu"));
    EXPECT_TRUE(json::serialize(web).contains("3 Insufficient cpu"));
    EXPECT_TRUE(json::serialize(web).contains("evil")) << "the value goes on behind the other's record";
    EXPECT_TRUE(json::serialize(web.at("lacks")).contains("an extender"));
    EXPECT_FALSE(json::serialize(train.at("lacks")).contains("an extender")) << "the other one's line";
  }
  EXPECT_EQ(files, 14);
}

}  // namespace
}  // namespace flowtap
