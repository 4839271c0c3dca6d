"""The cases, one module a family; each function takes `tf` and returns what it computed."""
