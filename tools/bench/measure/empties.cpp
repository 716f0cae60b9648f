#include "tools/bench/measure/empties.hpp"

#include <bpf/libbpf.h>

#include <cerrno>

#include "empties.skel.h"

namespace flowtap::bench {

void Empties::Delete::operator()(empties_bpf* skeleton) const noexcept {
  empties_bpf::destroy(skeleton);
}

Result<Empties> Empties::load() {
  Empties self;
  self.skeleton_.reset(empties_bpf::open_and_load());
  if (!self.skeleton_) return fail_errno(errno, "cannot load the empty programs");
  return self;
}

Status Empties::attach() {
  if (empties_bpf::attach(skeleton_.get()) != 0) return fail_errno(errno, "cannot attach the empty programs");
  return {};
}

void Empties::detach() {
  empties_bpf::detach(skeleton_.get());
}

std::vector<Tap::Program> Empties::programs() const {
  std::vector<Tap::Program> all;
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, skeleton_->obj)
      all.push_back({bpf_program__section_name(program), bpf_program__fd(program)});
  return all;
}

}  // namespace flowtap::bench
