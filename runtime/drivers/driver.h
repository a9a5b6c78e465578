// What the runtime needs of a kind of device. One implementation a folder; `fake` is scripted, for tests of error paths.
#pragma once

#include "runtime/format/image.h"

#include <cstddef>
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
  /// A word for messages, such as "cpu".
  virtual const char* name() const = 0;
  /// Loads an image; throws InternalError or TargetError. The image may be dropped afterwards.
  virtual std::unique_ptr<Module> load(const format::Image& image) = 0;
  /// Starts every program of the grid. `slots` holds the user's arguments followed by `extents`, the number of programs per axis (1 to 4, all
  /// positive, product at most 2^62). The CPU returns when all are done. Throws ExecutionError when a device assertion failed.
  virtual void launch(Module& module, std::span<const std::int64_t> slots, std::span<const std::int64_t> extents) = 0;
  /// Waits for everything that was started; throws ExecutionError for its failures.
  virtual void synchronize() = 0;
  /// Memory of the device, 64-byte aligned and uninitialised, never null. Throws UserError when it runs out.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) = 0;
  /// Copies between any two of host and this device's memory, in order with launches.
  virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
};

/// The host CPU.
std::unique_ptr<Driver> make_cpu_driver();

}  // namespace sectile::drivers
