// Who is told of the operations that run: tools that show, check or explain a program.
#pragma once

#include <span>
#include <vector>

#include "ops/op.h"

namespace ef {

class Observer {
 public:
  virtual ~Observer() = default;
  // Called after an operation, before anything else uses its results; may throw.
  virtual void ran(const Op& op, std::span<const Tensor> inputs, const Attrs& attrs,
                   std::span<const Tensor> outputs) = 0;
  // Called when something happens that the operations do not show: a variable is read or changed,
  // a backward step is written in Python.
  virtual void saw_effect() {}
};

// Empty, as a rule, so that operations pay for one comparison. Shared by all threads; read and
// changed under Python's lock, which kernels give up and whoever dispatches them holds.
inline std::vector<Observer*> observers;

inline void note_effect() {
  for (Observer* observer : observers) observer->saw_effect();
}

// Whether an element of a floating or complex tensor is infinite or not a number.
bool has_bad_numbers(const Tensor& tensor);

}  // namespace ef
