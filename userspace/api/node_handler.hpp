// The routes, in the form in which the HTTP server asks for answers.
#pragma once

#include "api/routes/flow_routes.hpp"
#include "http/messages/handler.hpp"

namespace flowtap::api {

class NodeHandler final : public http::Handler {
 public:
  /// `node` must outlive this.
  explicit NodeHandler(const NodeView& node) : node_(node) {}

  [[nodiscard]] Answer answer(const Request& request) const noexcept override {
    return route(request, node_);
  }
  [[nodiscard]] Answer not_readable(const Error& why) const override { return view_error(why); }

 private:
  const NodeView& node_;
};

}  // namespace flowtap::api
