#include "daemon/config/yaml.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "base/printable.hpp"
#include "daemon/config/yaml_trouble.hpp"

namespace flowtap {
namespace {

/// YAML that a configuration does not need.
class Refusal final : public YAML::ParserException {
 public:
  using YAML::ParserException::ParserException;
};

/// Builds the tree from the parser's events and not with YAML::Load, which would follow aliases and knows no
/// limits. It refuses by throwing the library's own exception: the only way to stop the parser.
class TreeBuilder final : public YAML::EventHandler {
 public:
  /// In a text of another encoding than UTF-8, the library's places are not those of its bytes.
  TreeBuilder(std::string_view text, const YamlLimits& limits)
      : text_(text.contains('\0') ? std::string_view() : text), limits_(limits) {}

  [[nodiscard]] YamlNode take() { return std::move(root_); }

  /// The innermost list or section in brackets that is not complete yet.
  [[nodiscard]] std::optional<YamlTrouble::Open> open_bracket() const {
    for (auto open = open_.rbegin(); open != open_.rend(); ++open)
      if (open->bracket) return open->bracket;
    return std::nullopt;
  }
  /// Up to where the parser has come with all that it has told.
  [[nodiscard]] std::size_t read() const { return read_; }

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
    // The library takes the end of the text for the end of a quotation, with all keys in between.
    if (!is_closed(text_, read_)) throw YAML::ParserException(mark, YAML::ErrorMsg::EOF_IN_SCALAR);
    if (expects_key()) return take_key(mark, value);
    add(mark, YamlNode::Type::kScalar).scalar = value;
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    check(mark, tag, anchor);
    open(mark, YamlNode::Type::kList, style);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    check(mark, tag, anchor);
    open(mark, YamlNode::Type::kMap, style);
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  /// A map or list that is not complete yet. Only the innermost one grows, so the pointers stay valid.
  struct Open {
    YamlNode* node;
    bool has_key = false;  ///< for a map: the value of the last entry is still to come
    std::optional<YamlTrouble::Open> bracket = {};
  };

  [[noreturn]] static void refuse(const YAML::Mark& mark, const std::string& why) {
    throw Refusal(mark, why);
  }
  [[noreturn]] static void refuse_anchor(const YAML::Mark& mark) {
    refuse(mark,
           "anchors (&) and aliases (*) are not used here; write the value out, in quotes if it is text");
  }
  void check(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    read_ = static_cast<std::size_t>(std::max(mark.pos, 0));
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

  void open(const YAML::Mark& mark, YamlNode::Type type, YAML::EmitterStyle::value style) {
    if (open_.size() >= limits_.depth)
      refuse(mark, fmt::format("nested more than {} levels deep", limits_.depth));
    if (expects_key()) refuse(mark, "a key must be one word, not a list or a section");
    open_.push_back({&add(mark, type)});
    if (style == YAML::EmitterStyle::Flow)
      open_.back().bracket = {.bracket = type == YamlNode::Type::kList ? '[' : '{', .line = mark.line + 1};
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

  std::string_view text_;
  YamlLimits limits_;
  YamlNode root_;
  std::vector<Open> open_;
  std::size_t nodes_ = 0;
  std::size_t read_ = 0;
};

}  // namespace

Result<YamlNode> read_yaml(std::string_view text, std::string_view name, const YamlLimits& limits) {
  if (text.size() > limits.bytes)
    return fail(fmt::format("{}: larger than {} bytes", printable(name), limits.bytes));
  // The library passes over it, and does not count it.
  if (constexpr std::string_view kByteOrder = "\xef\xbb\xbf"; text.starts_with(kByteOrder))
    text.remove_prefix(kByteOrder.size());
  TreeBuilder builder(text, limits);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) return YamlNode{};
    YamlNode root = builder.take();
    TreeBuilder second(text, limits);
    if (parser.HandleNextDocument(second))
      return fail(fmt::format("{}: it has more than one YAML document; flowtapd reads one", printable(name)),
                  "remove the line \"---\" and what follows it");
    return root;
  } catch (const Refusal& error) {
    return fail(fmt::format("{}:{}: {}", printable(name), error.mark.line + 1, printable(error.msg)));
  } catch (const YAML::Exception& error) {
    return std::unexpected(yaml_error(text, name,
                                      {.said = error.msg,
                                       .line = error.mark.is_null() ? 1 : error.mark.line + 1,
                                       .open = builder.open_bracket(),
                                       .read = builder.read()}));
  } catch (const std::exception& error) {  // the library's own use of the standard library
    return fail(fmt::format("{}: cannot be read as YAML: {}", printable(name), printable(error.what())));
  }
}

}  // namespace flowtap
