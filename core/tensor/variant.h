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
  virtual std::shared_ptr<Variant> copy() const = 0;
  // The same with zeros in place of tensors.
  virtual std::shared_ptr<Variant> zeros() const = 0;
  // Adds the tensors of another variant of the same class.
  virtual void add(const Variant& other) = 0;
};

// The element itself; an empty one counts as zero.
using VariantRef = std::shared_ptr<Variant>;

}  // namespace ef
