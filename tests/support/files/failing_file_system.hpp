// A file system whose device fails: files can be made there, and every write to one is EIO.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include "tests/support/files/hung_file_system.hpp"

namespace flowtap::test {

/// It is mounted over a directory for as long as it lives.
class FailingFileSystem {
 public:
  explicit FailingFileSystem(const std::string& directory);
  FailingFileSystem(const FailingFileSystem&) = delete;
  FailingFileSystem& operator=(const FailingFileSystem&) = delete;

  [[nodiscard]] bool mounted() const { return mount_.mounted(); }

 private:
  using Node = std::uint64_t;

  void serve(const std::stop_token& stop);
  /// The error that the kernel gets, or 0 and the answer.
  int answer(std::uint32_t request, Node of, const char* argument, std::string& answer);
  void tell_entry(Node node, std::string& answer) const;
  void tell_attributes(Node node, std::string& answer) const;
  Node make(Node parent, const char* name, bool is_directory);

  // Used only by the server.
  std::map<std::pair<Node, std::string>, Node> names_;
  std::map<Node, bool> directories_{{1, true}};  // whether a node is one

  HungFileSystem mount_;  // everything except the server
  std::jthread server_;
};

}  // namespace flowtap::test
