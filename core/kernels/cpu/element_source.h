// Values whose elements are computed in parts, for those who read each once and need no memory.
#pragma once

#include <cstdint>
#include <memory>

#include "tensor/tensor.h"

namespace ef::cpu {

class ElementSource {
 public:
  virtual ~ElementSource() = default;
  // Puts the elements [begin, begin + count) at `out`. Several threads may do so at once.
  virtual void read(int64_t begin, int64_t count, void* out) const = 0;
  // Puts all elements into a tensor; false, with nothing done, if read() is the way.
  virtual bool write(const Tensor& value) const {
    static_cast<void>(value);
    return false;
  }
  // A tensor of the same size whose elements are read for those at the same place only: they may be
  // written over it if nobody else has a handle. Null if there is none.
  virtual const Tensor* readable_once() const { return nullptr; }
  // The tensor that it keeps alive; null if there is none, or several.
  virtual const Tensor* kept() const { return readable_once(); }
  // The source of its elements times one number for each row, that is, each index but the last;
  // null if there is none.
  virtual std::shared_ptr<const ElementSource> times(const Tensor& rows) const {
    static_cast<void>(rows);
    return nullptr;
  }
};

// The value of a tensor that has a source until it is written.
class SourcedValue : public LazyValue {
 public:
  // Null once it is written.
  virtual std::shared_ptr<const ElementSource> source() = 0;
};

// The source of a tensor's elements; null if it has none.
inline std::shared_ptr<const ElementSource> source_of(const Tensor& tensor) {
  LazyValue* const lazy = tensor.impl()->lazy();
  auto* const sourced = lazy ? dynamic_cast<SourcedValue*>(lazy) : nullptr;
  return sourced ? sourced->source() : nullptr;
}

}  // namespace ef::cpu
