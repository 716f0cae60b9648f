#include "tests/support/containers/runc.hpp"

#include <boost/json.hpp>
#include <filesystem>
#include <stdexcept>

#include "tests/support/containers/runtime_programs.hpp"

namespace flowtap::test {

Runc::Runc(const ScratchRoot& root, std::string id, const std::vector<std::string>& command,
           const std::function<void()>& outputs)
    : root_(root), id_(std::move(id)), busybox_(root) {
  const std::string bundle = id_ + ".bundle";
  std::filesystem::create_directories(root.file(bundle));
  root.write(bundle + "/config.json",
             boost::json::serialize(oci_config(
                 {.root = busybox_.path(), .command = command, .cgroup = "/flowtap-test/" + id_})));
  const std::string log = root.file(id_ + ".runc.log");
  Process runc({.argv = words({"--log=" + log, "run", "--detach", "--bundle=" + root.file(bundle), id_}),
                .out = "/dev/null",
                .err = "/dev/null",
                .before_exec = [&outputs] {
                  see_cgroup2();
                  outputs();
                }});
  if (runc.wait() != 0) throw std::runtime_error("runc fails: " + root.read(id_ + ".runc.log"));
}

Runc::~Runc() {
  try {
    run_words(root_, words({"delete", "--force", id_}));
  } catch (const std::exception&) {
    return;  // the test has already reported the error
  }
}

std::vector<std::string> Runc::words(std::vector<std::string> more) const {
  more.insert(more.begin(), {fetched("runc", "runc"), "--root=" + root_.file("run/runc")});
  return more;
}

}  // namespace flowtap::test
