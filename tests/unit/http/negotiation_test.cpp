// What a request's headers say about the answer, and the answer over a real socket.
#include "http/negotiation.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include "http/gzip.hpp"
#include "tests/unit/http/server_fixture.hpp"

namespace flowtap::api {
namespace {

std::string gunzip(std::string_view bytes) {
  z_stream z{};
  if (::inflateInit2(&z, 15 + 16) != Z_OK) std::abort();
  std::string out(1U << 20U, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  const int end = ::inflate(&z, Z_FINISH);
  out.resize(out.size() - z.avail_out);
  ::inflateEnd(&z);
  return end == Z_STREAM_END && z.avail_in == 0 ? out : "no gzip";
}

/// The value of a header of an answer; "" if there is none.
std::string header(const std::string& answer, const std::string& name) {
  const auto at = answer.find("\r\n" + name + ": ");
  if (at == std::string::npos || at > answer.find("\r\n\r\n")) return "";
  const auto begin = at + name.size() + 4;
  return answer.substr(begin, answer.find("\r\n", begin) - begin);
}

std::string body(const std::string& answer) {
  return answer.substr(answer.find("\r\n\r\n") + 4);
}

TEST(EntityTag, IsStrongAndOfAllBytes) {
  const std::string tag = entity_tag("a");
  EXPECT_TRUE(tag.starts_with('"') && tag.ends_with('"')) << tag;
  EXPECT_EQ(tag.size(), 34U);
  EXPECT_EQ(tag, entity_tag("a"));
  EXPECT_NE(tag, entity_tag("b"));
  EXPECT_EQ(gzip_tag("\"1\""), "\"1-gzip\"");
}

TEST(IfNoneMatch, IsAList) {
  for (const char* list : {"\"x\"", "W/\"x\"", "*", " \"x\" ", "\"a\", \"x\"", "\"a\",W/\"x\",\"b\"",
                           ",,\"x\",", "\"a,b\", \"x\"", "\"\",\t\"x\""})
    EXPECT_TRUE(has_already(list, "\"x\"")) << list;
  for (const char* list : {"", "x", "\"x", "w/\"x\"", "\"y\"", "\"*\"", "*, \"y\"", "\"a\" \"x\"", "W/ \"x\"",
                           "\"a, \"x", ",", "\"X\"", "\"xx\""})
    EXPECT_FALSE(has_already(list, "\"x\"")) << list;
}

TEST(AcceptEncoding, SaysWhetherGzipMayCome) {
  for (const char* list :
       {"gzip", "GZip", "x-gzip", "*", "gzip;q=1", "gzip ; q=0.001", "deflate, gzip;Q=0.5, br",
        "gzip;q=1.000", "*;q=0, gzip", "gzip;q=0.5, *;q=0", ", gzip,,", "identity;q=0.1,\t*", "gzip;q=1."})
    EXPECT_TRUE(accepts_gzip(list)) << list;
  for (const char* list : {"", "identity", "deflate, br", "gzip;q=0", "gzip;q=0.000", "*;q=0", "gzip;q=0, *",
                           "gzipped", "gzip;q=2", "gzip;q=1.001", "gzip;q=0.0001", "gzip;q=", "gzip;level=9",
                           "gzip;q=-1", "gzip;q=0.5;q=1", "gzip q=1", "gzip;q=nan"})
    EXPECT_FALSE(accepts_gzip(list)) << list;
}

TEST(Gzip, IsReadAsItWas) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += std::to_string(i * 7919);
  for (const std::string& one : {std::string(), std::string("a"), text})
    EXPECT_EQ(gunzip(gzip(one).value()), one);
}

class NegotiationTest : public ServerTest {
 protected:
  [[nodiscard]] std::string get(const std::string& target, const std::string& headers = {},
                                const std::string& method = "GET") const {
    return answer(method + " " + target + " HTTP/1.1\r\nHost: a\r\n" + headers + "Connection: close\r\n\r\n");
  }
};

TEST_F(NegotiationTest, WhoHasTheAnswerIsNotSentItAgain) {
  start();
  const std::string first = get("/api/v1/stats");
  const std::string tag = header(first, "ETag");
  EXPECT_EQ(tag, entity_tag(body(first)));
  EXPECT_EQ(header(first, "Cache-Control"), "no-cache");
  EXPECT_EQ(header(get("/api/v1/stats", "", "HEAD"), "ETag"), tag);
  for (const char* method : {"GET", "HEAD"}) {
    const std::string again =
        get("/api/v1/stats", "If-None-Match: \"a\"\r\nIf-None-Match: W/" + tag + "\r\n", method);
    EXPECT_TRUE(again.starts_with("HTTP/1.1 304 Not Modified\r\n")) << again;
    EXPECT_EQ(header(again, "ETag"), tag);
    EXPECT_EQ(header(again, "Cache-Control"), "no-cache");
    EXPECT_EQ(header(again, "Vary"), "Accept-Encoding");
    EXPECT_EQ(body(again), "");
  }
  EXPECT_TRUE(get("/api/v1/stats", "If-None-Match: \"other\"\r\n").starts_with("HTTP/1.1 200"));
  node_.report.uptime_seconds = 1;
  const std::string status = header(get("/api/v1/status"), "ETag");
  node_.report.uptime_seconds = 2;
  EXPECT_TRUE(get("/api/v1/status", "If-None-Match: " + status + "\r\n").starts_with("HTTP/1.1 200"))
      << "it has changed";
}

TEST_F(NegotiationTest, AnErrorHasNoTag) {
  start();
  const std::string error = get("/nope", "If-None-Match: *\r\nAccept-Encoding: gzip\r\n");
  EXPECT_TRUE(error.starts_with("HTTP/1.1 404")) << error;
  EXPECT_EQ(header(error, "ETag"), "");
  EXPECT_EQ(header(error, "Cache-Control"), "no-store");
}

TEST_F(NegotiationTest, AConnectionGoesOnBehindA304) {
  start();
  const std::string one = "GET /healthz HTTP/1.1\r\nHost: a\r\nIf-None-Match: *\r\n\r\n";
  const std::string all = answer(one + one + "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_NE(all.find("304"), all.rfind("304"));
  EXPECT_TRUE(all.ends_with(R"({"status":"ok"})")) << all;
}

TEST_F(NegotiationTest, LargeAnswersComeAsGzipToWhoTakesIt) {
  start();
  const std::string plain = get("/api/v1/stats");
  ASSERT_GT(body(plain).size(), kLeastToGzip);
  EXPECT_EQ(header(plain, "Content-Encoding"), "");
  EXPECT_EQ(header(plain, "Vary"), "Accept-Encoding");
  const std::string packed = get("/api/v1/stats", "Accept-Encoding: br\r\nAccept-Encoding: gzip;q=0.5\r\n");
  EXPECT_EQ(header(packed, "Content-Encoding"), "gzip");
  EXPECT_EQ(header(packed, "Vary"), "Accept-Encoding");
  EXPECT_LT(body(packed).size(), body(plain).size());
  EXPECT_EQ(gunzip(body(packed)), body(plain));
  EXPECT_EQ(header(packed, "Content-Length"), std::to_string(body(packed).size()));
  EXPECT_EQ(header(get("/api/v1/stats", "Accept-Encoding: gzip\r\n", "HEAD"), "Content-Length"),
            header(packed, "Content-Length"));
  // Each form has its own tag.
  const std::string tag = header(packed, "ETag");
  EXPECT_EQ(tag, gzip_tag(header(plain, "ETag")));
  const std::string have = "If-None-Match: " + tag + "\r\n";
  EXPECT_TRUE(get("/api/v1/stats", have + "Accept-Encoding: gzip\r\n").starts_with("HTTP/1.1 304"));
  EXPECT_TRUE(get("/api/v1/stats", have).starts_with("HTTP/1.1 200"));
  EXPECT_EQ(header(get("/api/v1/stats", "Accept-Encoding: gzip;q=0\r\n"), "Content-Encoding"), "");
  const std::string small = get("/healthz", "Accept-Encoding: gzip\r\n");
  EXPECT_EQ(header(small, "Content-Encoding"), "");
  EXPECT_EQ(header(small, "ETag"), entity_tag(body(small)));
}

}  // namespace
}  // namespace flowtap::api
