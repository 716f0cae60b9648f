// Records that somebody quotes amid other words, as in an issue or a mail, cut out of these.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace flowtap::cli {

/// A paragraph is read as one text, since a page breaks its lines anywhere. An object in a line of its own stays as it is, and what
/// another program has seen in it.
class QuotedText {
 public:
  using Take = std::function<void(std::string_view line)>;

  /// Gives `take` each record of a paragraph as a line of its own, without the words around it, or the paragraph's lines as they are if
  /// it has none.
  void add(std::string_view line, const Take& take);
  /// No more lines come.
  void finish(const Take& take);

 private:
  std::vector<std::string> lines_;
  std::size_t bytes_ = 0;
};

/// Whether the line, in which no record was found, has one of kube-scheduler's amid its words.
[[nodiscard]] bool quotes_verdict(std::string_view line);

}  // namespace flowtap::cli
