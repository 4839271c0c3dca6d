"""Extension types: classes that programs define, with named fields of tensors and plain values."""
