"""The slow, literal versions that the library is tested against: plain loops over Python numbers and fractions."""
