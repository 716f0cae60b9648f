#include "http/negotiation.hpp"

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <optional>

#include "base/percent.hpp"
#include "base/trimmed.hpp"

namespace flowtap::http {
namespace {

/// The text before `separator`; both are removed from `text`.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return trimmed(part);
}

bool same_word(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower,
                            [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

/// The opaque tag at the beginning, with its quotes and without W/; it is removed from `list`. Nothing if there is
/// none.
std::optional<std::string_view> take_tag(std::string_view& list) {
  std::string_view rest = list;
  if (rest.starts_with("W/")) rest.remove_prefix(2);  // weak tags are compared like strong ones here
  if (!rest.starts_with('"')) return std::nullopt;
  const std::size_t end = rest.find('"', 1);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view tag = rest.substr(0, end + 1);
  list = rest.substr(end + 1);
  return tag;
}

/// qvalue = ( "0" [ "." 0*3DIGIT ] ) / ( "1" [ "." 0*3("0") ] ). Whether it is more than 0; nothing if this is not a
/// qvalue.
std::optional<bool> weight(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return std::nullopt;
  if (text.size() > 1 && text[1] != '.') return std::nullopt;
  bool more = text[0] == '1';
  for (const char c : text.substr(std::min<std::size_t>(2, text.size()))) {
    if (c < '0' || c > (text[0] == '1' ? '0' : '9')) return std::nullopt;
    more = more || c != '0';
  }
  return more;
}

}  // namespace

std::string entity_tag(std::string_view body) {
  // With 128 bits nobody meets the same tag twice, and the header stays short.
  static constexpr std::size_t kBytes = 16;
  // OpenSSL uses the CPU's own instructions for this. Without them it would be a third of the cost of an answer.
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  ::SHA256(reinterpret_cast<const unsigned char*>(body.data()), body.size(), digest.data());
  std::string tag = "\"";
  for (std::size_t i = 0; i < kBytes; ++i) append_hex(tag, digest.at(i));
  return tag + '"';
}

std::string gzip_tag(std::string_view tag) {
  return std::string(tag.substr(0, tag.size() - 1)) + "-gzip\"";
}

bool has_already(std::string_view if_none_match, std::string_view tag) {
  std::string_view list = trimmed(if_none_match);
  if (list == "*") return true;
  while (!list.empty()) {
    if (list.front() != ',') {
      const auto given = take_tag(list);
      if (!given) return false;
      if (*given == tag) return true;
      list = trimmed(list);
      if (!list.empty() && list.front() != ',') return false;
    }
    list = trimmed(list.substr(std::min<std::size_t>(1, list.size())));
  }
  return false;
}

bool accepts_gzip(std::string_view accept_encoding) {
  std::optional<bool> gzip;
  std::optional<bool> any;
  while (!accept_encoding.empty()) {
    std::string_view one = take_until(accept_encoding, ',');
    if (one.empty()) continue;
    const std::string_view coding = take_until(one, ';');
    std::optional<bool> wanted = true;
    if (!one.empty()) {
      const std::string_view name = take_until(one, '=');
      if (!same_word(name, "q")) return false;
      wanted = weight(one);
    }
    if (!wanted) return false;
    if (same_word(coding, "gzip") || same_word(coding, "x-gzip"))
      gzip = wanted;
    else if (coding == "*")
      any = wanted;
  }
  return gzip ? *gzip : any.value_or(false);
}

}  // namespace flowtap::http
