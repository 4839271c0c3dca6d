// Variants: elements that are objects of the engine, such as lists of tensors.
#pragma once

#include <memory>
#include <string>

namespace ef {

// What an element of a variant tensor holds. Others may hold it, too: who changes it must be its
// only owner.
class Variant {
 public:
  virtual ~Variant() = default;
  // How it is printed.
  virtual std::string text() const = 0;
};

// The element itself; an empty one counts as zero.
using VariantRef = std::shared_ptr<Variant>;

}  // namespace ef
