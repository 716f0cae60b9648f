// Reads what a request's headers say about the answer: whether the client has it already, and how it may be encoded.
#pragma once

#include <string>
#include <string_view>

namespace flowtap::http {

/// A strong validator of these bytes (RFC 9110, 8.8.3), quotes included.
[[nodiscard]] std::string entity_tag(std::string_view body);

/// The validator of the same bytes as gzip, which are another representation.
[[nodiscard]] std::string gzip_tag(std::string_view tag);

/// Whether If-None-Match (RFC 9110, 13.1.2) names `tag`, so that the client has the answer already. Where the list is
/// malformed, the rest of it names nothing.
[[nodiscard]] bool has_already(std::string_view if_none_match, std::string_view tag);

/// Whether Accept-Encoding (RFC 9110, 12.5.3) allows gzip. A malformed list allows nothing.
[[nodiscard]] bool accepts_gzip(std::string_view accept_encoding);

}  // namespace flowtap::http
