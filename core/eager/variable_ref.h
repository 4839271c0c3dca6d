// A counted reference to a variable.
#pragma once

#include <utility>

namespace ef {

class Variable;

// A counted reference to a variable; may be empty. Code that uses a variable without Python's lock,
// or runs Python code in between, holds one: the owner may be destroyed or initialized again.
class VariableRef {
 public:
  VariableRef() = default;
  explicit VariableRef(Variable& variable);
  VariableRef(VariableRef&& other) noexcept : variable_(std::exchange(other.variable_, nullptr)) {}
  VariableRef& operator=(VariableRef other) noexcept {
    std::swap(variable_, other.variable_);
    return *this;
  }
  ~VariableRef() {
    if (variable_) release();
  }
  Variable& operator*() const { return *variable_; }
  Variable* operator->() const { return variable_; }
  Variable* get() const { return variable_; }
  explicit operator bool() const { return variable_ != nullptr; }

 private:
  void release();

  Variable* variable_ = nullptr;
};

}  // namespace ef
