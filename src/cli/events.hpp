#pragma once

#include <boost/json/object.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "model/result.hpp"

namespace heddle::cli {

/// One event as a line, for people.
[[nodiscard]] std::string render_event(const boost::json::object& event, Colour colour);

/// Takes a stream of server-sent events apart (WHATWG HTML, 9.2.6), in pieces of any size.
class EventStreamReader {
 public:
  /// `take` gets the data of each event once it is complete.
  explicit EventStreamReader(std::function<void(std::string_view)> take) : take_(std::move(take)) {}
  void feed(std::string_view piece);

 private:
  void end_line();
  std::function<void(std::string_view)> take_;
  std::string line_;
  std::string data_;
  bool has_data_ = false;
  bool after_return_ = false;  ///< a line ended with CR: an LF that follows belongs to it
};

/// What the log holds; with `follow` goes on until the service stops
/// or nobody reads the output. With `json` and `follow` each
/// event is an object on a line of its own.
[[nodiscard]] model::Result<ExitCode> events(const EventsCommand& command, Console& console);

}  // namespace heddle::cli
