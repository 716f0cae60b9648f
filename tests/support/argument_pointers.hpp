#pragma once

#include <string>
#include <vector>

namespace flowtap::test {

/// The words as exec takes them: a pointer to each, then a null pointer. They point into `words`.
inline std::vector<char*> argument_pointers(const std::vector<std::string>& words) {
  std::vector<char*> all;
  all.reserve(words.size() + 1);
  for (const std::string& word : words) all.push_back(const_cast<char*>(word.c_str()));
  all.push_back(nullptr);
  return all;
}

}  // namespace flowtap::test
