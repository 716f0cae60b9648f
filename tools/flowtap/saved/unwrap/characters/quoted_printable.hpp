// Mails are sent as RFC 2045's quoted-printable: "=3D" is "=", and a line that is too long is broken behind a "=". A tenant's words
// may look like it, so a line is decoded only if a mail's header says so, or if its record reads only then.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace flowtap::cli {

class QuotedPrintable {
 public:
  using Take = std::function<void(std::string_view line, bool full, std::uint64_t time)>;

  /// Gives `take` the lines that were sent, and any other text as it is. A newline that was encoded stays so where no header says that
  /// this is a mail: no line begins at one.
  void add(std::string_view line, bool full, std::uint64_t time, const Take& take);
  /// No more lines come.
  void finish(const Take& take) { give(take); }

 private:
  void look_for_header(std::string_view line);
  void take_decoded(std::string_view encoded, const Take& take) const;
  void give(const Take& take);

  std::vector<std::string> held_;  // all but the last one end with "="
  bool full_ = true;               // the last one
  std::uint64_t time_ = 0;
  bool known_ = false;  // the text is of such a mail
  bool said_ = false;   // its header says so
};

}  // namespace flowtap::cli
