// The `key=value` pairs of a record of klog, or the members of its JSON object, one after the other. Nothing is copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "stream/lines/klog/klog_record.hpp"

namespace flowtap::flow {

struct KlogPair {
  enum class Kind : std::uint8_t {
    kQuoted,   ///< Go's strconv.Quote, also without its backslashes
    kBlock,    ///< "=<", lines behind a tab, " >"
    kJson,     ///< compact JSON that is no string, in text or as a member
    kString,   ///< a JSON member's string
    kCut,      ///< a string whose line ends before its last quote: a capture or a terminal has cut it
    kUnquoted  ///< old klog's %+v, and what is malformed without a quote: where it ends is a guess
  };
  std::string_view
      key;  ///< as it stands: klog escapes no keys, and they may have spaces, colons and parentheses
  Kind kind = Kind::kUnquoted;
  /// The value as it stands, without quotes. Escapes are not undone, and a block's lines have their tabs and newlines.
  std::string_view value;

  /// Whether, in text, what follows may still belong to this value. Old klog's %+v escapes nothing, so the value may go
  /// on with a tenant's words that look like pairs. Its lists and structures look like JSON, but such words can fake
  /// their end.
  [[nodiscard]] bool may_be_more(KlogForm form) const {
    if (kind == Kind::kUnquoted || kind == Kind::kCut) return true;
    const bool is_empty = value == "{}" || value == "[]";
    return form == KlogForm::kText && kind == Kind::kJson && !is_empty &&
           (value.starts_with('{') || value.starts_with('['));
  }
};

/// Walks over the pairs. A key that occurs twice is given twice (klog: the last counts).
class KlogPairs {
 public:
  /// Walks over a record's pairs. `line_open`: more of its last line may come.
  explicit KlogPairs(const KlogRecord& record, bool line_open = false)
      : KlogPairs(record.form, record.body, record.pairs, line_open) {}
  /// Walks over the members of a JSON object, such as that of a member `pod`.
  [[nodiscard]] static KlogPairs of_object(std::string_view object) { return {KlogForm::kJson, object, 0}; }
  /// Walks over what is behind `from` in a record's body: `from` is what at() was before more of the body came.
  KlogPairs(KlogForm form, std::string_view body, std::size_t from, bool line_open = false)
      : form_(form), body_(body), at_(from), line_open_(line_open) {}

  /// False at the end.
  bool next(KlogPair& pair) {
    if (stopped_) return false;
    return form_ == KlogForm::kText ? next_text(pair) : next_member(pair);
  }

  /// The place behind the last whole pair.
  [[nodiscard]] std::size_t at() const { return at_; }
  /// At the end: the body stops within a block or an open line, so pairs may follow when more of the record is there.
  [[nodiscard]] bool cut() const { return cut_; }

 private:
  bool next_text(KlogPair& pair);
  bool next_member(KlogPair& pair);
  bool give(KlogPair& pair, KlogPair::Kind kind, std::size_t begin, std::size_t end, std::size_t next);
  bool stop(bool cut);
  std::string_view line();
  std::size_t end_of_nested(std::string_view line, std::size_t at);

  KlogForm form_;
  std::string_view body_;
  std::size_t at_;
  std::size_t line_end_ = 0;  // of the line that at_ is in
  bool line_open_;
  bool cut_ = false;
  bool stopped_ = false;
  bool unbalanced_ = false;
};

/// A value as the program had it: escapes are undone, and a block's tabs are taken away. A malformed escape stays as it is. A
/// value that needs none of that is given as it stands in the record; any other is put into the buffer, in place of what that
/// had.
[[nodiscard]] std::string_view klog_text(const KlogPair& pair, std::string& buffer);
/// The same, always as a copy.
[[nodiscard]] std::string klog_value(const KlogPair& pair);

/// A Kubernetes object that a value names. Does not own its text.
struct KlogObject {
  std::string_view ns;  ///< empty: it has none, such as a node
  std::string_view name;
};

/// JSON writes an ObjectRef as {"name":"p","namespace":"ns"}, text as "ns/p" or, where it has no namespace, "p". Nothing if the
/// value is neither string nor object. Escapes stay as they are: names have none.
[[nodiscard]] std::optional<KlogObject> klog_object(const KlogPair& pair);

/// The place behind the quote that ends the string whose text begins at `at`; npos: there is none.
[[nodiscard]] std::size_t end_of_quoted(std::string_view text, std::size_t at);

}  // namespace flowtap::flow
