// The files of tests/golden/identity.
#pragma once

#include <string>

#include "tests/support/golden.hpp"

namespace flowtap::identity::test {

inline std::string golden(const std::string& name) {
  return flowtap::test::golden("identity/" + name);
}

// The container, pod and sandbox that most of them are about.
inline const std::string kContainer = "bacb920470900725e0aa7d914fee5eb0854315448b024b6b8420ad8429c607ba";
inline const std::string kSandbox = "91f829d8c00710f813b90bd0a28e54b1eda851421bbd5762e53e5bf7f0b9b7e2";
inline const std::string kUid = "4c9f1974-5c46-44c2-b42f-3bbf0e98eef9";
inline const std::string kDocker = "dde7a808085163a0680de9bcf9495927334728320258c66faf0f5fb018a919f1";
inline const std::string kPodman = "32283c29ce5bbc48f07721d8ebcbd8e8db7697938154d1bad5616eacd5c56897";
inline const std::string kPodmanTty = "0367a455514e8571faed3506c321727e995ec91cc824e6ae8539c689c6ee020d";
inline const std::string kPodmanInPod = "b7dd9ab672db4d6e8b580aa68f86eca3464df0fd4da3033ac19f9799688f984c";

}  // namespace flowtap::identity::test
