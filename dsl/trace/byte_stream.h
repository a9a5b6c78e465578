// Little readers and writers of LEB128 bytes, shared by the trace and the kernel image.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace sectile {

class ByteWriter {
 public:
  void byte(std::uint8_t value) { bytes_.push_back(value); }
  void number(std::uint64_t value) {
    while (value >= 0x80) {
      bytes_.push_back(static_cast<std::uint8_t>(value | 0x80));
      value >>= 7;
    }
    bytes_.push_back(static_cast<std::uint8_t>(value));
  }
  /// Zigzag, so that small negative numbers are short.
  void signed_number(std::int64_t value) {
    number((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
  }
  void text(const std::string& value) {
    number(value.size());
    bytes_.insert(bytes_.end(), value.begin(), value.end());
  }
  void blob(std::span<const std::uint8_t> value) {
    number(value.size());
    bytes_.insert(bytes_.end(), value.begin(), value.end());
  }
  std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<std::uint8_t> bytes_;
};

/// Reads what ByteWriter wrote. After the first error every read gives 0 or empty and `ok()` is false.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  bool ok() const { return ok_; }
  bool at_end() const { return position_ == bytes_.size(); }
  std::size_t remaining() const { return bytes_.size() - position_; }
  void fail() { ok_ = false; }

  std::uint8_t byte() {
    if (!ok_ || remaining() < 1) return fail(), 0;
    return bytes_[position_++];
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      std::uint8_t next = byte();
      if (!ok_ || (shift == 63 && next > 1) || (shift > 0 && next == 0)) return fail(), 0;
      value |= static_cast<std::uint64_t>(next & 0x7f) << shift;
      if (!(next & 0x80)) return value;
    }
    return fail(), 0;
  }
  std::int64_t signed_number() {
    std::uint64_t value = number();
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
  }
  /// A count of things that each take at least one byte: never larger than what is left.
  std::size_t count() {
    std::uint64_t value = number();
    if (value > remaining()) return fail(), 0;
    return static_cast<std::size_t>(value);
  }
  std::string text() {
    std::size_t size = count();
    if (!ok_) return {};
    std::string value(reinterpret_cast<const char*>(bytes_.data()) + position_, size);
    position_ += size;
    return value;
  }
  std::span<const std::uint8_t> blob() {
    std::size_t size = count();
    if (!ok_) return {};
    auto value = bytes_.subspan(position_, size);
    position_ += size;
    return value;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t position_ = 0;
  bool ok_ = true;
};

}  // namespace sectile
