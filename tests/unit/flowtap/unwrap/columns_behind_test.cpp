// What an export has put behind a record is none of its last value.
#include "tools/flowtap/saved/unwrap/around/columns_behind.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace flowtap::cli {
namespace {

TEST(ColumnsBehind, AreNoneOfAValueWithoutQuotes) {
  const std::string record = R"(I1121 01:39:30.102556   22825 score.go:235] "no fit" node="n1" score=2)";
  for (const auto& [before, behind] :
       {std::pair<std::string, std::string>{"<![CDATA[", "]]></log4j:message>"},
        {"<out><![CDATA[", "]]>"},
        {"Body: Str(", ")"},
        {"| 10:00 | `", "` |"},
        {"<Event><Data>", "</Data></Event>"},
        {"<td>", "</td>"},
        {"", "\tstderr"}})
    EXPECT_EQ(without_columns_behind(record + behind, before), record) << before;
}

TEST(ColumnsBehind, AreOnlyWhatTheLineHasOpened) {
  for (const std::string record :
       {R"(I1121 01:39:30.102556   22825 score.go:235] "no fit" err="a$")",
        R"(I1121 01:39:30.102556   22825 a.go:1] map[NVIDIA:[[{1 GPU-2-b NVIDIA 8000 30}]]])",
        R"(I1121 01:39:30.102556   22825 a.go:1] told (twice))",
        "I1121 01:39:30.102556   22825 a.go:1] a `b`"})
    EXPECT_EQ(without_columns_behind(record, "10:00 "), record);
}

}  // namespace
}  // namespace flowtap::cli
