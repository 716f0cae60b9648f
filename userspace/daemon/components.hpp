// The components of the service, in the order in which they need each other: the status and the reload go by it as well.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "component/component.hpp"

namespace flowtap {

class Components {
 public:
  using All = std::vector<std::unique_ptr<Component>>;

  Components() = default;
  /// Destroys them in the reverse order.
  ~Components();
  Components(const Components&) = delete;
  Components& operator=(const Components&) = delete;

  /// Makes one of Shared and its own, behind those that it needs.
  template <typename One, typename... Own>
  One& add(Shared& shared, Own&&... own) {
    auto one = std::make_unique<One>(shared, std::forward<Own>(own)...);
    One& added = *one;
    all_.push_back(std::move(one));
    return added;
  }

  [[nodiscard]] All::const_iterator begin() const { return all_.begin(); }
  [[nodiscard]] All::const_iterator end() const { return all_.end(); }

  /// Takes one step of a start with each; `done` is the log's word for it.
  void start(void (Component::*step)(), std::string_view done) const;
  /// The health of all.
  [[nodiscard]] ComponentStates health() const;
  /// What they do, as one sentence.
  [[nodiscard]] std::string sentence() const;
  /// An Error unless people can see through one of them what flowtapd counts.
  [[nodiscard]] Status can_be_seen() const;

 private:
  All all_;
};

}  // namespace flowtap
