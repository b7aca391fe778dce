"""New statements: bounds that replace those of the papers."""
