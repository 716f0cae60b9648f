// URLs, and which of them are asked through a proxy.
#include <gtest/gtest.h>

#include "http/outbound/proxy.hpp"
#include "http/outbound/url.hpp"

namespace flowtap::http {
namespace {

TEST(OutboundUrl, HasItsParts) {
  for (const auto& [text, url, authority] : std::vector<std::tuple<std::string, Url, std::string>>{
           {"https://a", {true, "", "a", "443", ""}, "a"},
           {"http://a/", {false, "", "a", "80", ""}, "a"},
           {"https://a:443/b/c//", {true, "", "a", "443", "/b/c"}, "a"},
           {"https://a:6443", {true, "", "a", "6443", ""}, "a:6443"},
           {"http://a:443", {false, "", "a", "443", ""}, "a:443"},
           {"https://[fd00::1]:9200/x", {true, "", "fd00::1", "9200", "/x"}, "[fd00::1]:9200"},
           {"https://[::1]", {true, "", "::1", "443", ""}, "[::1]"},
           {"http://me:a%40b%3ac@proxy:3128", {false, "me:a@b:c", "proxy", "3128", ""}, "proxy:3128"}}) {
    const auto parsed = parse_url(text);
    ASSERT_TRUE(parsed) << text << ": " << parsed.error().what;
    EXPECT_EQ(*parsed, url) << text << ' ' << parsed->host << ' ' << parsed->port << ' ' << parsed->prefix;
    EXPECT_EQ(parsed->authority(), authority);
  }
}

TEST(OutboundUrl, IsRefusedWithAReason) {
  for (const char* text : {"",
                           "a",
                           "a:80",
                           "ftp://a",
                           "https:/a",
                           "https://",
                           "https://:80",
                           "https://a:0",
                           "https://a:65536",
                           "https://a:x",
                           "https://a:-1",
                           "https://a b",
                           "https://a/b c",
                           "https://a/b?c",
                           "https://a#b",
                           "https://a?b",
                           "https://[::1",
                           "https://[]",
                           "https://[::1]x",
                           "https://a\r\nb",
                           "https://a/\r\nX: y",
                           "http://u%0d%0a@a",
                           "http://u%zz@a"}) {
    const auto parsed = parse_url(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_NE(parsed.error().what.find(" is no URL of a server: "), std::string::npos);
  }
}

TEST(OutboundUrl, APasswordIsNotShown) {
  const auto parsed = parse_url("http://me:secret@host:0");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().what,
            "\"...@host:0\" is no URL of a server: its port is no number from 1 to 65535");
}

std::string proxy_of(const ProxyRules& rules, const std::string& url) {
  const auto proxy = proxy_for(rules, *parse_url(url));
  if (!proxy) return proxy.error().what;
  return *proxy ? (*proxy)->host : "";
}

TEST(OutboundProxyRules, ByScheme) {
  const ProxyRules rules{.for_https = "http://secure:3128", .for_http = "plain:3128", .except = ""};
  EXPECT_EQ(proxy_of(rules, "https://a"), "secure");
  EXPECT_EQ(proxy_of(rules, "http://a"), "plain");
  EXPECT_EQ(proxy_of({}, "https://a"), "");
  for (const char* here : {"https://localhost", "https://127.0.0.1", "https://127.9.9.9:1",
                           "https://[::1]:6443", "https://LOCALHOST"})
    EXPECT_EQ(proxy_of(rules, here), "") << here;
  EXPECT_EQ(proxy_of({.for_https = "https://secure"}, "https://a"),
            "HTTPS_PROXY: flowtapd cannot ask a proxy over TLS");
  EXPECT_EQ(proxy_of({.for_https = "http://:"}, "https://a"),
            "HTTPS_PROXY: \"http://:\" is no URL of a server: it has no host");
}

TEST(OutboundProxyRules, ExceptForThoseThatNeedNone) {
  for (const auto& [except, url, is_direct] : std::vector<std::tuple<std::string, std::string, bool>>{
           {"*", "https://a", true},
           {"example.org", "https://example.org", true},
           {"example.org", "https://EXAMPLE.org", true},
           {"example.org", "https://a.example.org", true},
           {".example.org", "https://a.example.org", true},
           {"*.example.org", "https://a.example.org", true},
           {"example.org", "https://myexample.org", false},
           {"a.example.org", "https://example.org", false},
           {"x, example.org ,y", "https://example.org", true},
           {"example.org:443", "https://example.org", true},
           {"example.org:80", "https://example.org", false},
           {"10.0.0.0/8", "https://10.96.0.1", true},
           {"10.0.0.0/8", "https://11.0.0.1", false},
           {"10.96.0.0/12", "https://10.111.255.255", true},
           {"10.96.0.0/12", "https://10.112.0.0", false},
           {"10.0.0.0/8", "https://10.example.org", false},
           {"10.0.0.0/33", "https://10.0.0.0", false},
           {"10.0.0.0/", "https://10.0.0.0", false},
           {"0.0.0.0/0", "https://[fd00::1]", false},
           {"fd00::/8", "https://[fd00::1]", true},
           {"fd00::/8", "https://[fe80::1]", false},
           {"fd00::1", "https://[fd00::1]", true},
           {"[fd00::1]", "https://[fd00::1]:6443", true},
           {"[fd00::1]:6443", "https://[fd00::1]:6443", true},
           {"[fd00::1]:443", "https://[fd00::1]:6443", false},
           {"10.0.0.1", "https://10.0.0.1:6443", true},
           {"10.0.0.1:6443", "https://10.0.0.1:6443", true},
           {",, ,", "https://a", false},
           {".", "https://a.", false},
           {"[", "https://a", false},
           {"[:", "https://a", false}})
    EXPECT_EQ(proxy_of({.for_https = "http://proxy", .except = except}, url), is_direct ? "" : "proxy")
        << except << " for " << url;
}

}  // namespace
}  // namespace flowtap::http
