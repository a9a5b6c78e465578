// A driver that does what its script says.

#include "runtime/drivers/fake/fake_driver.h"

#include "sectile/error.h"

#include <cstdlib>
#include <cstring>
#include <map>

namespace sectile::drivers {
namespace {

class FakeDriver : public Driver {
 public:
  explicit FakeDriver(std::shared_ptr<FakeScript> script) : script_(std::move(script)) {}
  ~FakeDriver() override {
    for (auto& [memory, bytes] : blocks_) std::free(memory);
  }
  const char* name() const override { return "fake"; }

  std::unique_ptr<Module> load(const format::Image&) override {
    std::lock_guard<std::mutex> lock(script_->mutex);
    ++script_->loads;
    if (fails(script_->load_failure)) throw TargetError(script_->load_failure, "");
    return std::make_unique<Module>();
  }

  void launch(Module&, std::span<const std::int64_t> slots, std::span<const std::int64_t> extents) override {
    std::lock_guard<std::mutex> lock(script_->mutex);
    script_->launches.push_back({{slots.begin(), slots.end()}, {extents.begin(), extents.end()}});
    if (fails(script_->launch_failure)) throw ExecutionError(script_->launch_failure, "");
  }

  void synchronize() override {
    std::lock_guard<std::mutex> lock(script_->mutex);
    ++script_->synchronizations;
  }

  void* allocate(std::size_t bytes) override {
    std::lock_guard<std::mutex> lock(script_->mutex);
    if (bytes > script_->memory - used_)
      throw UserError("no memory for " + std::to_string(bytes) + " bytes; " + std::to_string(script_->memory - used_) + " are free", "");
    void* memory = std::aligned_alloc(64, (bytes + 64) / 64 * 64);
    blocks_[memory] = bytes;
    used_ += bytes;
    return memory;
  }
  void release(void* memory) override {
    std::lock_guard<std::mutex> lock(script_->mutex);
    auto block = blocks_.find(memory);
    if (block == blocks_.end()) throw InternalError("memory is released that this device does not own", "");
    used_ -= block->second;
    blocks_.erase(block);
    std::free(memory);
  }
  void copy(void* to, const void* from, std::size_t bytes) override {
    if (bytes) std::memmove(to, from, bytes);
  }

 private:
  bool fails(const std::string& failure) {
    if (failure.empty() || script_->failures_left == 0) return false;
    if (script_->failures_left > 0) --script_->failures_left;
    return true;
  }

  std::shared_ptr<FakeScript> script_;
  std::map<void*, std::size_t> blocks_;
  std::size_t used_ = 0;
};

}  // namespace

std::unique_ptr<Driver> make_fake_driver(std::shared_ptr<FakeScript> script) { return std::make_unique<FakeDriver>(std::move(script)); }

}  // namespace sectile::drivers
