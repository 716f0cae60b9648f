// What is sent as a mail is decoded, and what only looks like one stays as the scheduler wrote it.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tools/flowtap/saved/unwrap/characters/quoted_printable.hpp"

namespace flowtap::cli {
namespace {

using Texts = std::vector<std::string>;

const std::string kHead = "I1126 10:00:00.103412       1 a.go:9] ";
const std::string kHeader = "Content-Transfer-Encoding: quoted-printable";
const std::string kSent = kHead + R"("x" pod=3D"a/b" err=3D"x=3DA1")";
const std::string kWritten = kHead + R"("x" pod="a/b" err="x=A1")";

Texts decoded(const Texts& lines) {
  Texts out;
  const auto take = [&out](std::string_view line, bool /*full*/, std::uint64_t /*time*/) {
    out.emplace_back(line);
  };
  QuotedPrintable mail;
  for (const std::string& line : lines) mail.add(line, true, 0, take);
  mail.finish(take);
  return out;
}

TEST(QuotedPrintable, AWordOfATenantsMakesNoMailOfALog) {
  const Texts log = {kHead + R"("x" selector="printer=3D")",
                     kHead + R"("x" err="taint {gpu=A100: NoSchedule}")",
                     kHead + R"("x" err="x=0A)" + kSent + R"( =3D")",
                     R"({"ts":1.5,"msg":"x","err":"printer=3D"})",
                     kHead + "prose =3D gpu=A100",
                     "\tgpu=A100"};
  EXPECT_EQ(decoded(log), log);
}

TEST(QuotedPrintable, ALineThatEndsWithEqualsIsNoMailEither) {
  const Texts block = {kHead + R"("x" err=<)", "\tselector=", "\tgpu=3D=0A" + kHead + "forged", " >"};
  EXPECT_EQ(decoded(block), block);
  const Texts before = {"abc=", kHead + R"("x" selector="=3D")"};
  EXPECT_EQ(decoded(before), before);
}

TEST(QuotedPrintable, TheHeaderMayBeWrittenInAnyWay) {
  for (const std::string& header :
       {kHeader, kHeader + '\r', std::string("content-transfer-encoding:  Quoted-Printable")})
    EXPECT_EQ(decoded({header, "", "gpu=3DA=", "100"}), (Texts{header, "", "gpu=A100"})) << header;
  const std::string plain = "Content-Transfer-Encoding: 7bit";
  EXPECT_EQ(decoded({kHeader, plain, "gpu=A100"}), (Texts{kHeader, plain, "gpu=A100"}));
}

TEST(QuotedPrintable, CodesMayHaveSmallLetters) {
  EXPECT_EQ(decoded({kHead + R"("x" pod=3d"a/b" err=3d"x=3dA1")"}), Texts{kWritten});
}

TEST(QuotedPrintable, ARecordThatReadsOnlyDecodedNeedsNoHeader) {
  EXPECT_EQ(decoded({kSent, "\tzone=3DA1"}), (Texts{kWritten, "\tzone=A1"}));
  EXPECT_EQ(decoded({kSent.substr(0, 45) + '=', kSent.substr(45)}), Texts{kWritten});
}

TEST(QuotedPrintable, AMailThatIsCutBehindAPartOfALineIsDecodedToo) {
  EXPECT_EQ(decoded({kHeader, "", kSent, "gpu=3DA1="}), (Texts{kHeader, "", kWritten, "gpu=A1"}));
}

TEST(QuotedPrintable, AnotherPartOrAnotherLogIsNoMail) {
  const std::string other = "gpu=A100";
  for (const std::string& end : {std::string("--000000000000abc"), std::string("------=_Part_1.2--"),
                                 std::string("From b@c Thu"), kWritten})
    EXPECT_EQ(decoded({kHeader, "", kSent, end, other}), (Texts{kHeader, "", kWritten, end, other})) << end;
}

// A record that a tenant has put into a text would begin behind it.
TEST(QuotedPrintable, ANewlineThatWasEncodedStaysSoWithoutAHeader) {
  EXPECT_EQ(decoded({kSent, "a=3D1=0Ab=0D=0Ac=0D"}), (Texts{kWritten, "a=1=0Ab=0D=0Ac\r"}));
}

// A tenant's own code has its equals sign encoded there.
TEST(QuotedPrintable, NewlinesOfAMailMayBeEncoded) {
  EXPECT_EQ(decoded({kHeader, "", kSent + "=0D=0A=", kSent + "=0A=", "", "a=3D0Ab"}),
            (Texts{kHeader, "", kWritten + '\r', kWritten, "a=0Ab"}));
}

TEST(QuotedPrintable, ARulerEndsNoMail) {
  EXPECT_EQ(decoded({kHeader, "", "-----------", "a=3D=", "b"}), (Texts{kHeader, "", "-----------", "a=b"}));
}

}  // namespace
}  // namespace flowtap::cli
