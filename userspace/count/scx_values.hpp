// What a scheduler written with the scx_stats library says of itself: metadata that tells the names, and numbers.
#pragma once

#include <boost/json.hpp>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace flowtap {

/// One number of an answer.
struct ScxValue {
  std::string stat;    ///< names of fields from the top down: "total", "nodes.doms.load"
  std::string member;  ///< keys of the tables and places in the lists on the way there: "", "batch", "0/3"
  double value;
};

struct ScxValues {
  std::vector<ScxValue> values;
  std::size_t left_out = 0;  ///< for which there was no room, that are too deep, or whose key is no label
};

/// What stands in the envelope {"errno":0,"args":{"resp":...}} of every answer, one line. An Error: no such envelope, or
/// the scheduler refused (code EINVAL).
[[nodiscard]] Result<boost::json::value> parse_scx_answer(std::string_view line);

/// The metadata (request "stats_meta"): structures by name, and of each field whether it is a number, a structure, or a
/// list or table of one of these. Format: README of rust/scx_stats in the repository sched-ext/scx.
class ScxSchema {
 public:
  /// Takes what is understood; an Error where there is nothing to begin with.
  [[nodiscard]] static Result<ScxSchema> parse(const boost::json::value& meta);

  /// The numbers of an answer to the request "stats". Strings, what the scheduler's author marked as not for metrics
  /// (_om_skip), and numbers that are none (NaN is null on the wire) are not among them.
  [[nodiscard]] Result<ScxValues> values(const boost::json::value& answer) const;

 private:
  struct Field {
    enum class Shape : std::uint8_t { kOne, kList, kTable };
    Shape shape;
    std::string structure;  // empty: numbers
  };
  using Structure = std::map<std::string, Field>;
  class Walk;

  [[nodiscard]] static bool read_field(const boost::json::object& meta, Field& field);

  std::map<std::string, Structure> structures_;
  std::vector<std::string> tops_;  // those that an answer may begin with
};

}  // namespace flowtap
