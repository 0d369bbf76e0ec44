"""What tests of this package (and of packages built on it) share: random games."""
