#include "base/result.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "base/with_hint.hpp"

namespace flowtap {
namespace {

Error error_of(int err, std::string hint = {}) {
  return fail_errno(err, "cannot write /x", std::move(hint)).error();
}

TEST(Result, AnErrnoIsInWordsAndStays) {
  const Error error = error_of(EIO);
  EXPECT_EQ(error.what, "cannot write /x: Input/output error");
  EXPECT_EQ(error.hint, "");
  EXPECT_EQ(error.code, EIO);
  EXPECT_EQ(with_hint(error), error.what);
  EXPECT_EQ(with_hint(error_of(EIO, "do this")), "cannot write /x: Input/output error (do this)");
}

// Whoever gives no hint has this one, and whoever gives one has thought of it.
TEST(Result, AFileSystemThatIsFullOrReadOnlyHasAHint) {
  for (const auto& [err, hint] :
       {std::pair(ENOSPC, "make room"), {EDQUOT, "make room"}, {EROFS, "read-only"}}) {
    EXPECT_NE(error_of(err).hint.find(hint), std::string::npos) << error_of(err).hint;
    EXPECT_EQ(error_of(err, "another directory").hint, "another directory");
  }
}

// Nothing that the caller knows of would help.
TEST(Result, WhatIsUsedUpHasItsOwnHint) {
  for (const auto& [err, hint] :
       {std::pair(EMFILE, "LimitNOFILE="), {ENFILE, "fs.file-max"}, {ENOMEM, "MemoryMax="}})
    EXPECT_NE(error_of(err, "run as root").hint.find(hint), std::string::npos) << error_of(err).hint;
}

}  // namespace
}  // namespace flowtap
