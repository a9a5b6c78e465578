// What can go wrong, as types. Every error says what happened, where in the user's source, and what to do.
#pragma once

#include <stdexcept>
#include <string>

namespace sectile {

/// Base of all errors thrown by Sectile. `what()` is the whole message, `where()` is "file:line:column" or empty.
class Error : public std::runtime_error {
 public:
  Error(const std::string& message, std::string where)
      : std::runtime_error(where.empty() ? message : where + ": " + message), where_(std::move(where)) {}
  const std::string& where() const { return where_; }

 private:
  std::string where_;
};

/// The kernel or the call is at fault; the message names the remedy.
class UserError : public Error {
 public:
  using Error::Error;
};

/// A limit of the target was hit; the message names the limit.
class TargetError : public Error {
 public:
  using Error::Error;
};

/// Sectile is at fault; the message names a reproducer.
class InternalError : public Error {
 public:
  using Error::Error;
};

/// A `device_assert` failed or a device reported a fault while a kernel ran.
class ExecutionError : public Error {
 public:
  using Error::Error;
};

}  // namespace sectile
