#include <gtest/gtest.h>

#include "model/fabric.hpp"

namespace heddle::model {
namespace {

TEST(Printable, KeepsTextAndEscapesWhatIsNoText) {
  EXPECT_EQ(printable("host01 mlx5_0"), "host01 mlx5_0");
  EXPECT_EQ(printable("say \"hi\""), "say \"hi\"");
  EXPECT_EQ(printable("k\xc3\xb6ln \xe2\x82\xac \xf0\x9f\x98\x80"),
            "k\xc3\xb6ln \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(printable("a\nb\x7f"), "a\\x0ab\\x7f");
  EXPECT_EQ(printable("caf\xe9"), "caf\\xe9");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, EscapesOverlongSurrogateAndTruncatedSequences) {
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(printable("x\xe2\x82"), "x\\xe2\\x82");
  EXPECT_EQ(printable("\xe0\x80\x80"), "\\xe0\\x80\\x80");
}

}  // namespace
}  // namespace heddle::model
