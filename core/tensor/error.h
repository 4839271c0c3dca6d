// The engine's exception: a status code that the bindings turn into TensorFlow's exception type.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace ef {

// Codes below 100 are TensorFlow's canonical status codes; the others stand for Python's own types.
enum class Code : int {
  kCancelled = 1,
  kInvalidArgument = 3,
  kNotFound = 5,
  kAlreadyExists = 6,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kDataLoss = 15,
  kValueError = 100,
  kTypeError = 101,
  kIndexError = 102,
  kRuntimeError = 103,
  kAttributeError = 104,
  kOverflowError = 105,
  kNotImplemented = 106,
  kNotAllowedInGraph = 107,  // what only values can do was asked of a symbolic tensor
};

class Error : public std::runtime_error {
 public:
  Error(Code code, const std::string& message) : std::runtime_error(message), code_(code) {}
  Code code() const { return code_; }

 private:
  Code code_;
};

// Concatenates anything that can be streamed.
template <class... Parts>
std::string cat(const Parts&... parts) {
  std::ostringstream stream;
  (stream << ... << parts);
  return stream.str();
}

template <class... Parts>
[[noreturn]] void fail(Code code, const Parts&... parts) {
  throw Error(code, cat(parts...));
}

template <class... Parts>
[[noreturn]] void invalid_argument(const Parts&... parts) {
  fail(Code::kInvalidArgument, parts...);
}

}  // namespace ef
