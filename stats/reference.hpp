// The reference page of all metrics, generated from the table.
#pragma once

#include <string>

namespace flowtap::stats {

/// Markdown: every family with its type, unit, labels and the meaning of each label value.
[[nodiscard]] std::string reference_page();

}  // namespace flowtap::stats
