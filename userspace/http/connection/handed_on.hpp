// A body of an answer for Beast's parsers.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/http/message.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace flowtap::http {

/// A body that is handed on as it comes and is never stored.
struct HandedOn {
  /// False: no more is wanted. Reading then ends with operation_aborted.
  using value_type = std::function<bool(std::string_view)>;

  class reader {  // NOLINT(readability-identifier-naming): the name that Beast asks for
   public:
    template <bool IsRequest, class Fields>
    reader(boost::beast::http::header<IsRequest, Fields>&, value_type& take) : take_(take) {}
    void init(const boost::optional<std::uint64_t>&, boost::system::error_code& error) { error = {}; }
    template <class Buffers>
    std::size_t put(const Buffers& buffers, boost::system::error_code& error) {
      std::size_t taken = 0;
      for (const auto& buffer : boost::beast::buffers_range_ref(buffers)) {
        const boost::asio::const_buffer bytes(buffer);
        taken += bytes.size();
        if (!take_({static_cast<const char*>(bytes.data()), bytes.size()})) {
          error = boost::asio::error::operation_aborted;
          return taken;
        }
      }
      error = {};
      return taken;
    }
    void finish(boost::system::error_code& error) { error = {}; }

   private:
    value_type& take_;
  };
};

}  // namespace flowtap::http
