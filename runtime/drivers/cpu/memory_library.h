// A shared object that exists only in memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace sectile::drivers {

/// An opened shared object; closed with its owner. The bytes are copied, so nobody can truncate them under running code.
class MemoryLibrary {
 public:
  /// Throws InternalError when the bytes cannot be loaded.
  explicit MemoryLibrary(std::span<const std::uint8_t> elf);
  ~MemoryLibrary();
  MemoryLibrary(const MemoryLibrary&) = delete;
  MemoryLibrary& operator=(const MemoryLibrary&) = delete;
  /// Null when there is no such symbol.
  void* find(const std::string& symbol) const;

 private:
  void* handle_ = nullptr;
};

}  // namespace sectile::drivers
