#include "cli/events.hpp"

#include <gmock/gmock.h>

#include <boost/json/parse.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "unit/cli/silent_server.hpp"

namespace heddle::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class EventStream : public testing::Test {
 protected:
  std::vector<std::string> taken_;
  EventStreamReader reader_{[this](std::string_view data) { taken_.emplace_back(data); }};
};

TEST_F(EventStream, gives_the_data_of_each_event_at_its_blank_line) {
  reader_.feed("id: 1\nevent: link_down\ndata: {\"a\":1}\n");
  EXPECT_THAT(taken_, IsEmpty());
  reader_.feed("\ndata:{}\n\n");
  EXPECT_THAT(taken_, ElementsAre("{\"a\":1}", "{}"));
}

TEST_F(EventStream, takes_pieces_of_any_size_and_any_line_end) {
  for (const char c : std::string("data: one\r\n\r\ndata: two\r\rdata: three\n\n")) {
    reader_.feed({&c, 1});
  }
  EXPECT_THAT(taken_, ElementsAre("one", "two", "three"));
}

TEST_F(EventStream, joins_lines_of_data_and_passes_comments_over) {
  reader_.feed(": alive\n\ndata: one\ndata:  two\n: note\n\n");
  EXPECT_THAT(taken_, ElementsAre("one\n two"));
}

TEST_F(EventStream, drops_an_event_that_is_cut_off) {
  reader_.feed("data: half");
  EXPECT_THAT(taken_, IsEmpty());
}

TEST(FollowedEvents, end_with_their_reader_though_nothing_happens_but_heartbeats) {
  const testing_support::SilentServer server(
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n: alive\n\n");
  std::ostringstream out;
  std::ostringstream err;
  int asked = 0;
  Console console{out, err, Colour::kOff, [&asked] { return ++asked > 0; }};
  EventsCommand command;
  command.follow = true;
  command.server.server = "http://127.0.0.1:" + server.address().port;
  const auto code = events(command, console);
  ASSERT_TRUE(code) << code.error().text;
  EXPECT_EQ(*code, ExitCode::kGood);
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(out.str() + err.str(), "");
}

TEST(EventLine, shows_time_severity_kind_and_text) {
  const auto event = boost::json::parse(
      R"({"sequence":4,"time":"2026-01-05T10:00:00Z","kind":"link_down","severity":"error",
          "at":null,"peer":null,"text":"leaf 1 port 3 lost \u001b[2J"})");
  EXPECT_EQ(render_event(event.as_object(), Colour::kOff),
            "2026-01-05T10:00:00Z  error    link_down               leaf 1 port 3 lost \\x1b[2J\n");
  EXPECT_THAT(render_event(event.as_object(), Colour::kOn),
              testing::HasSubstr("\x1b[31merror  \x1b[0m"));
}

}  // namespace
}  // namespace heddle::cli
