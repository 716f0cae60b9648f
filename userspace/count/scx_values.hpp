// What a scheduler written with the scx_stats library reports: metadata that tells the names, and numbers.
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
  std::string stat;    ///< field names from the top down: "total", "nodes.doms.load"
  std::string member;  ///< keys of the tables and places in the lists on the way there: "", "batch", "0/3"
  double value;
};

struct ScxValues {
  std::vector<ScxValue> values;
  std::size_t left_out = 0;  ///< values without room, too deep, or with a key that is no label
};

/// The content of the envelope {"errno":0,"args":{"resp":...}} of every answer, one line. An Error: there is no such
/// envelope, or the scheduler refused (code EINVAL).
[[nodiscard]] Result<boost::json::value> parse_scx_answer(std::string_view line);

/// The metadata (request "stats_meta"): structures by name, and for each field whether it is a number, a structure, or
/// a list or table of one of these. The README of rust/scx_stats in the repository sched-ext/scx describes the format.
class ScxSchema {
 public:
  /// Takes what it understands; an Error where there is nothing to begin with.
  [[nodiscard]] static Result<ScxSchema> parse(const boost::json::value& meta);

  /// The numbers of an answer to the request "stats". It leaves out strings, what the scheduler's author marked as not
  /// for metrics (_om_skip), and numbers that are none (NaN is null on the wire).
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
