#include "daemon/config/yaml.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <sstream>

#include "base/printable.hpp"

namespace flowtap {
namespace {

/// Builds the tree from the parser's events and not with YAML::Load, which would follow aliases and knows no
/// limits. It refuses by throwing the library's own exception: the only way to stop the parser.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const YamlLimits& limits) : limits_(limits) {}

  [[nodiscard]] YamlNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse_anchor(mark); }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    check(mark, {}, anchor);
    if (expects_key()) refuse(mark, "a key is missing before the colon");
    add(mark, YamlNode::Type::kNothing);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check(mark, tag, anchor);
    if (expects_key()) return take_key(mark, value);
    add(mark, YamlNode::Type::kScalar).scalar = value;
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    check(mark, tag, anchor);
    open(mark, YamlNode::Type::kList);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    check(mark, tag, anchor);
    open(mark, YamlNode::Type::kMap);
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  /// A map or list that is not complete yet. Only the innermost one grows, so the pointers stay valid.
  struct Open {
    YamlNode* node;
    bool has_key = false;  ///< for a map: the value of the last entry is still to come
  };

  [[noreturn]] static void refuse(const YAML::Mark& mark, const std::string& why) {
    throw YAML::ParserException(mark, why);
  }
  [[noreturn]] static void refuse_anchor(const YAML::Mark& mark) {
    refuse(mark,
           "anchors (&) and aliases (*) are not used here; write the value out, in quotes if it is text");
  }
  static void check(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != 0) refuse_anchor(mark);
    // "?" and "!" are what the parser itself reports for plain and quoted values.
    if (!tag.empty() && tag != "?" && tag != "!")
      refuse(mark, "tags (" + in_quotes(tag) + ") are not used here");
  }

  [[nodiscard]] bool expects_key() const {
    return !open_.empty() && open_.back().node->type == YamlNode::Type::kMap && !open_.back().has_key;
  }

  void take_key(const YAML::Mark& mark, const std::string& key) {
    auto& entries = open_.back().node->map;
    for (const auto& [known, value] : entries)
      if (known == key)
        refuse(mark, fmt::format("key {} is given twice, first on line {}", in_quotes(key), value.line));
    count(mark);
    entries.push_back({key, YamlNode{}});
    entries.back().value.line = mark.line + 1;
    open_.back().has_key = true;
  }

  void open(const YAML::Mark& mark, YamlNode::Type type) {
    if (open_.size() >= limits_.depth)
      refuse(mark, fmt::format("nested more than {} levels deep", limits_.depth));
    if (expects_key()) refuse(mark, "a key must be one word, not a list or a section");
    open_.push_back({&add(mark, type)});
  }

  YamlNode& add(const YAML::Mark& mark, YamlNode::Type type) {
    count(mark);
    YamlNode* node = &root_;
    if (open_.empty()) {
      root_.line = mark.line + 1;
    } else if (Open& parent = open_.back(); parent.node->type == YamlNode::Type::kMap) {
      parent.has_key = false;
      node = &parent.node->map.back().value;
    } else {
      node = &parent.node->list.emplace_back();
      node->line = mark.line + 1;
    }
    node->type = type;
    return *node;
  }

  void count(const YAML::Mark& mark) {
    if (++nodes_ > limits_.nodes) refuse(mark, fmt::format("more than {} keys and values", limits_.nodes));
  }

  YamlLimits limits_;
  YamlNode root_;
  std::vector<Open> open_;
  std::size_t nodes_ = 0;
};

}  // namespace

Result<YamlNode> read_yaml(std::string_view text, std::string_view name, const YamlLimits& limits) {
  if (text.size() > limits.bytes)
    return fail(fmt::format("{}: larger than {} bytes", printable(name), limits.bytes));
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    TreeBuilder builder(limits);
    if (!parser.HandleNextDocument(builder)) return YamlNode{};
    YamlNode root = builder.take();
    TreeBuilder second(limits);
    if (parser.HandleNextDocument(second))
      return fail(fmt::format("{}: it has more than one YAML document; flowtapd reads one", printable(name)),
                  "remove the line \"---\" and what follows it");
    return root;
  } catch (const YAML::Exception& error) {
    const int line = error.mark.is_null() ? 1 : error.mark.line + 1;
    return fail(fmt::format("{}:{}: {}", printable(name), line, printable(error.msg)));
  } catch (const std::exception& error) {  // the library's own use of the standard library
    return fail(fmt::format("{}: cannot be read as YAML: {}", printable(name), printable(error.what())));
  }
}

}  // namespace flowtap
