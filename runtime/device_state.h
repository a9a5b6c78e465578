// What a Device handle stands for.
#pragma once

#include "runtime/drivers/driver.h"

#include <memory>
#include <string>

namespace sectile::detail {

/// Lives as long as the process, because variants and threads refer to it. Tests make their own, with a fake driver.
struct DeviceState {
  std::string target;  ///< as the compiler takes it, for instance "cpu:native"
  std::unique_ptr<drivers::Driver> driver;
};

}  // namespace sectile::detail
