#include "tests/support/metrics/promtext.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <regex>
#include <set>
#include <stdexcept>

namespace flowtap::test {
namespace {

double number(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);  // accepts +Inf and Nan, too
  if (text.empty() || *end != '\0') throw std::runtime_error("no number: " + text);
  return value;
}

std::string spelled(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

bool ends_with_any(std::string_view name, std::string_view family, std::initializer_list<const char*> ends) {
  if (!name.starts_with(family)) return false;
  name.remove_prefix(family.size());
  for (const char* end : ends)
    if (name == end) return true;
  return false;
}

class Parser {
 public:
  PromPage page;

  void line(const std::string& text) {
    static const std::regex kHelp(R"(# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (\S.*))");
    static const std::regex kType(
        R"(# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram|summary|untyped))");
    std::smatch parts;
    if (std::regex_match(text, parts, kHelp)) {
      if (!helped_.insert(parts[1]).second) throw std::runtime_error("a second HELP");
    } else if (std::regex_match(text, parts, kType)) {
      family_ = parts[1];
      type_ = parts[2];
      if (!page.types.emplace(family_, type_).second) throw std::runtime_error("a second TYPE");
      if (!helped_.contains(family_)) throw std::runtime_error("TYPE without HELP");
    } else {
      sample(text);
    }
  }

  void end() const {
    for (const auto& [key, last] : last_bucket_) {
      if (!std::isinf(last.le)) throw std::runtime_error(key + " has no bucket +Inf");
      if (page.all.at(key) != last.value) throw std::runtime_error(key + " is not its last bucket");
    }
  }

 private:
  struct Bucket {
    double le = -std::numeric_limits<double>::infinity();
    double value = 0;
  };

  void sample(const std::string& text) {
    static const std::regex kSample(R"(([a-zA-Z_:][a-zA-Z0-9_:]*)(\{[^}]*\})? ([^ ]+))");
    std::smatch parts;
    if (!std::regex_match(text, parts, kSample)) throw std::runtime_error("no sample");
    const std::string name = parts[1];
    if (!belongs(name)) throw std::runtime_error("a sample outside of its family");
    const Labels labels = read_labels(parts[2]);
    const double value = number(parts[3]);
    const std::string key = series_key(name, labels);
    if (!page.all.emplace(key, value).second) throw std::runtime_error("a series comes twice");
    if (type_ == "gauge" || type_ == "untyped" || labels.contains("quantile")) return;
    if (!(value >= 0)) throw std::runtime_error("a counter below 0");
    page.counters.emplace(key, value);
    if (type_ == "histogram" && name == family_ + "_bucket") bucket(labels, value);
  }

  [[nodiscard]] bool belongs(const std::string& name) const {
    if (type_ == "histogram") return ends_with_any(name, family_, {"_bucket", "_sum", "_count"});
    if (type_ == "summary") return ends_with_any(name, family_, {"", "_sum", "_count"});
    return !family_.empty() && name == family_;
  }

  static Labels read_labels(const std::string& text) {
    static const std::regex kLabel("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\]|\\\\[\\\\n\"])*)\"(,|\\}$)");
    Labels labels;
    if (text.empty()) return labels;
    auto at = text.cbegin() + 1;
    std::smatch parts;
    while (at != text.cend()) {
      if (!std::regex_search(at, text.cend(), parts, kLabel, std::regex_constants::match_continuous))
        throw std::runtime_error("bad labels");
      if (!labels.emplace(parts[1], parts[2]).second) throw std::runtime_error("a label comes twice");
      at = parts[0].second;
    }
    return labels;
  }

  void bucket(Labels labels, double value) {
    const double le = number(labels.at("le"));
    labels.erase("le");
    Bucket& last = last_bucket_[series_key(family_ + "_count", labels)];
    if (!(le > last.le) || value < last.value) throw std::runtime_error("the buckets are not cumulative");
    last = {le, value};
  }

  std::string family_;
  std::string type_;
  std::set<std::string> helped_;
  std::map<std::string, Bucket> last_bucket_;  // by the histogram's _count
};

}  // namespace

std::string series_key(const std::string& name, Labels labels) {
  if (const auto le = labels.find("le"); le != labels.end()) le->second = spelled(number(le->second));
  std::string key;
  for (const auto& [label, value] : labels) {
    key += key.empty() ? '{' : ',';
    key.append(label).append("=\"").append(value).append("\"");
  }
  return name + (key.empty() ? "" : key + "}");
}

double sum_of(const SeriesMap& series, std::string_view name) {
  double sum = 0;
  for (const auto& [key, value] : series)
    if (std::string_view(key).substr(0, key.find('{')) == name) sum += value;
  return sum;
}

PromPage parse_prometheus_text(std::string_view text) {
  Parser parser;
  std::size_t number_of_line = 0;
  if (!text.ends_with('\n')) throw std::runtime_error("the page does not end in a newline");
  while (!text.empty()) {
    const auto end = text.find('\n');
    const std::string line(text.substr(0, end));
    text.remove_prefix(end + 1);
    ++number_of_line;
    try {
      parser.line(line);
    } catch (const std::runtime_error& error) {
      throw std::runtime_error("line " + std::to_string(number_of_line) + ": " + error.what() + ": " + line);
    }
  }
  parser.end();
  return std::move(parser.page);
}

std::string went_back(const SeriesMap& before, const SeriesMap& after) {
  for (const auto& [key, value] : before) {
    const auto now = after.find(key);
    if (now == after.end()) return key + " is gone";
    if (now->second < value)
      return key + " went back from " + std::to_string(value) + " to " + std::to_string(now->second);
  }
  return {};
}

}  // namespace flowtap::test
