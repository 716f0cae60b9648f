// Families of another exporter that have no row in our table: they are read when its page is asked for.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "stats/compat/labels.hpp"

namespace flowtap::stats::compat {

/// kUntyped: the exporter does not say whether it counts or measures.
enum class PageKind : std::uint8_t { kCounter, kGauge, kUntyped };

struct PageFamily {
  PageKind kind = PageKind::kGauge;
  std::string help;
  std::map<LabelPairs, double> samples;  ///< each set of labels once
};

/// The names may come from the kernel's files and from people's, so what is added is made valid, and is bounded.
class Page {
 public:
  static constexpr std::size_t kMostFamilies = 4096;
  static constexpr std::size_t kMostSamples = std::size_t{1} << 18U;  ///< of all families together

  explicit Page(std::size_t most = kMostSamples) : most_(most) {}

  /// Characters that a name must not have become '_'. Values of labels become printable. The first one of a name says
  /// the kind and the help text. False: there is no room, or that series is already there; it is then left out.
  bool add(std::string_view name, PageKind kind, std::string_view help, LabelPairs labels, double value);

  /// Adds everything of `other` that is not yet here.
  void merge(Page other);

  /// Whether something was left out for lack of room.
  [[nodiscard]] bool full() const { return full_; }
  [[nodiscard]] std::size_t samples() const { return samples_; }
  [[nodiscard]] std::size_t room() const { return most_ - samples_; }

  [[nodiscard]] const std::map<std::string, PageFamily, std::less<>>& families() const { return families_; }

 private:
  std::map<std::string, PageFamily, std::less<>> families_;
  std::size_t most_;
  std::size_t samples_ = 0;
  bool full_ = false;
};

/// Reads such a page.
class PageSource {
 public:
  PageSource() = default;
  virtual ~PageSource() = default;
  PageSource(const PageSource&) = delete;
  PageSource& operator=(const PageSource&) = delete;

  /// May be called from several threads at once, and takes a bounded time. What could not be read is absent.
  [[nodiscard]] virtual Page read() = 0;
};

}  // namespace flowtap::stats::compat
