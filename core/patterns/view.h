// How patterns look at a program. The deferred results of eager execution and the nodes of a plan
// each provide a view, so that an optimisation is recognised by one piece of code in all modes.
//
// A view is a class with
//   using Value                           a result: a tensor, or a slot of a plan
//   Producer<Value> producer(value)       what computes it
//   bool is_number(value)                 whether it is known to have one element
//   bool are_same(value, other)
#pragma once

#include <span>

#include "ops/attrs.h"

namespace ef::patterns {

// The operation that computes a value. A view gives an empty one if the pattern cannot replace the
// operation: the value comes from outside, or it has to be in memory for other readers.
template <class Value>
struct Producer {
  const Op* op = nullptr;
  AttrsRef attrs = {};
  std::span<const Value> inputs = {};
  bool forwards = false;  // the value is that of the first input

  explicit operator bool() const { return op != nullptr; }
};

}  // namespace ef::patterns
