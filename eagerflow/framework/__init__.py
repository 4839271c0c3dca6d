"""What values are, what describes them, and where operations run."""
