"""Operations by family; the public names are gathered in `eagerflow` and its namespaces."""
