// A reader of our JSON lines that follows the rules in their header.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace flowtap::stats::test {

/// Adds up the deltas of all lines, each line once.
class JsonReader {
 public:
  /// The bytes of one connection, from its beginning to its end; a last line without '\n' does not count.
  void connection(std::string_view bytes) {
    while (true) {
      const auto end = bytes.find('\n');
      if (end == std::string_view::npos) return;
      line(bytes.substr(0, end));
      bytes.remove_prefix(end + 1);
    }
  }

  void line(std::string_view text) {
    const auto object = boost::json::parse({text.data(), text.size()}).as_object();
    const std::string stream(object.at("stream").as_string());
    const auto seq = object.at("seq").to_number<std::uint64_t>();
    ++lines;
    if (stream == stream_ && seq <= seq_) {
      ++doubles;
      return;
    }
    if (stream == stream_ && seq != seq_ + 1) ++gaps;
    stream_ = stream;
    seq_ = seq;
    for (const auto& value : object.at("series").as_array()) take(value.as_object());
    last = object;
  }

  /// Sum of the deltas of a counter, by name and the values of its labels ("name,kernel,wsync").
  [[nodiscard]] std::uint64_t sum(const std::string& name) const {
    const auto at = sums_.find(name);
    return at == sums_.end() ? 0 : at->second;
  }

  int lines = 0;
  int doubles = 0;
  int gaps = 0;
  boost::json::object last;

 private:
  void take(const boost::json::object& series) {
    std::string name(series.at("name").as_string());
    for (const auto& label : series.at("labels").as_object())
      name += "," + std::string(label.value().as_string());
    if (series.at("kind") == "counter" && !series.at("delta").is_double())
      sums_[name] += series.at("delta").to_number<std::uint64_t>();
  }

  std::string stream_;
  std::uint64_t seq_ = 0;
  std::map<std::string, std::uint64_t> sums_;
};

}  // namespace flowtap::stats::test
