// Values whose elements are computed in parts, for readers that read each element once.
#pragma once

#include <cstdint>
#include <memory>

#include "tensor/tensor.h"

namespace ef::cpu {

class ElementSource {
 public:
  virtual ~ElementSource() = default;
  // Writes the elements [begin, begin + count) to `out`. Several threads may call it at once.
  virtual void read(int64_t begin, int64_t count, void* out) const = 0;
  // The length of the rows of elements that stand side by side in memory; 0 if there are none.
  virtual int64_t row() const { return 0; }
  // The memory of a row, if there are rows.
  virtual const void* row_at(int64_t index) const {
    static_cast<void>(index);
    return nullptr;
  }
  // Writes all elements into a tensor. Returns false, with nothing done, if read() has to be used.
  virtual bool write(const Tensor& value) const {
    static_cast<void>(value);
    return false;
  }
  // A tensor of the same size: element i of the source reads only its element i. The source may be
  // written over it if there are no other handles. Null if there is no such tensor.
  virtual const Tensor* readable_once() const { return nullptr; }
  // The tensor that the source keeps alive; null if there is none, or several.
  virtual const Tensor* kept() const { return readable_once(); }
  // The source multiplied by one factor for each row (each index of all axes but the last); null if
  // the source does not support this.
  virtual std::shared_ptr<const ElementSource> times(const Tensor& rows) const {
    static_cast<void>(rows);
    return nullptr;
  }
};

// The value of a tensor that is computed by a source until it is written.
class SourcedValue : public LazyValue {
 public:
  // Null once the value is written.
  virtual std::shared_ptr<const ElementSource> source() = 0;
};

// The source of a tensor's elements; null if the tensor has none.
inline std::shared_ptr<const ElementSource> source_of(const Tensor& tensor) {
  LazyValue* const lazy = tensor.impl()->lazy();
  auto* const sourced = lazy ? dynamic_cast<SourcedValue*>(lazy) : nullptr;
  return sourced ? sourced->source() : nullptr;
}

}  // namespace ef::cpu
