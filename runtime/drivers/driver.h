// What the runtime needs of a kind of device. One implementation a folder; `fake` is scripted, for tests of error paths.
#pragma once

#include "runtime/format/image.h"

#include <cstdint>
#include <memory>
#include <span>

namespace sectile::drivers {

/// A loaded kernel.
class Module {
 public:
  virtual ~Module() = default;
};

class Driver {
 public:
  virtual ~Driver() = default;
  /// Loads an image; throws InternalError or TargetError. The image may be dropped afterwards.
  virtual std::unique_ptr<Module> load(const format::Image& image) = 0;
  /// Runs every program of the grid and returns when they are done. `slots` holds the user's arguments followed by `extents`, the number of
  /// programs per axis (1 to 4, all positive). Throws ExecutionError when a device assertion failed.
  virtual void launch(Module& module, std::span<const std::int64_t> slots, std::span<const std::int64_t> extents) = 0;
};

/// The host CPU.
std::unique_ptr<Driver> make_cpu_driver();

}  // namespace sectile::drivers
