#include "mad/umad_access.hpp"

#include <gmock/gmock.h>

#include <cerrno>

namespace heddle::mad {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(UmadAccess, ADeviceThatBelongsToRootAloneIsAnErrorThatSaysWhatToDo) {
  EXPECT_THAT(open_failure("mlx5_0/1", EACCES),
              AllOf(HasSubstr("mlx5_0/1: Permission denied"), HasSubstr("91-heddle-umad.rules"),
                    HasSubstr("udevadm trigger"), HasSubstr("group heddle")));
}

TEST(UmadAccess, ADeviceThatTheUnitDoesNotAllowIsAnErrorThatNamesTheUnit) {
  EXPECT_THAT(open_failure("mlx5_0/1", EPERM),
              AllOf(HasSubstr("DeviceAllow=char-infiniband_mad"), Not(HasSubstr("udevadm"))));
}

TEST(UmadAccess, ADeviceThatIsGoneIsAnErrorWithoutAdvice) {
  EXPECT_EQ(open_failure("mlx5_0/2", ENOENT),
            "cannot open the management device of mlx5_0/2: No such file or directory");
}

}  // namespace
}  // namespace heddle::mad
