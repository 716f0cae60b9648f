// Which pods belong together: the pods of a workflow, a job, a training. Labels would tell, but they are in no file of
// the node. So the pods' names must tell, from what workflow engines put into them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "identity/patterns/name_pattern.hpp"

namespace flowtap::flow {

/// A rule as somebody writes it down.
struct GroupRule {
  std::string pod;  ///< a NamePattern
  std::string ns;   ///< a pattern without parentheses; empty: of any namespace
  std::string
      group;  ///< with $1 to $9 for what stands in the pod's parentheses, $namespace for where it runs
  bool operator==(const GroupRule&) const = default;
};

/// Rules in order. Does not change once it is made.
class GroupRules {
 public:
  /// An Error says which member of which rule is refused, and why; its hint what is accepted.
  [[nodiscard]] static Result<GroupRules> parse(const std::vector<GroupRule>& rules);

  /// What the first matching rule says. Nothing: none matches.
  [[nodiscard]] std::optional<std::string> group_of(std::string_view ns, std::string_view pod) const;

 private:
  /// A text, and what follows it.
  struct Part {
    std::string text;
    std::size_t number = 0;  // 1 to 9: what stands in the parentheses of this number
    bool ns = false;
  };
  struct Rule {
    NamePattern pod;
    std::string ns;
    std::vector<Part> group;
  };
  [[nodiscard]] static Result<std::vector<Part>> parse_group(std::string_view text, std::size_t parts);

  std::vector<Rule> rules_;
};

}  // namespace flowtap::flow
