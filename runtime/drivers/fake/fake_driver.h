// A driver that does what its script says: for tests of error paths. It runs nothing; its memory is host memory.
#pragma once

#include "runtime/drivers/driver.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace sectile::drivers {

/// What the fake driver does, and what was asked of it. Shared by the test and the driver.
struct FakeScript {
  std::string load_failure;      ///< when not empty, load throws TargetError with it
  std::string launch_failure;    ///< when not empty, launch throws ExecutionError with it
  std::size_t memory = 1 << 20;  ///< bytes the device has; allocations beyond it throw UserError
  int failures_left = -1;        ///< how often load and launch fail before they succeed; -1: always

  struct Launch {
    std::vector<std::int64_t> slots, extents;
  };
  std::mutex mutex;
  int loads = 0, synchronizations = 0;
  std::vector<Launch> launches;
};

std::unique_ptr<Driver> make_fake_driver(std::shared_ptr<FakeScript> script);

}  // namespace sectile::drivers
