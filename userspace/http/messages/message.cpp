#include "http/messages/message.hpp"

#include <boost/json.hpp>

#include "base/printable.hpp"

namespace flowtap::http {

Answer error_answer(unsigned status, std::string_view what, std::string_view hint) {
  // Text from outside may be any bytes; JSON is UTF-8.
  boost::json::object body{{"error", printable(what)}};
  if (!hint.empty()) body["hint"] = printable(hint);
  return {status, boost::json::serialize(body)};
}

}  // namespace flowtap::http
