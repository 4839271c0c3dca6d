"""Types of values that programs define: named fields of tensors and of plain values."""
