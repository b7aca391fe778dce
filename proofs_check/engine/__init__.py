"""The tools of the check: instances, exact quantities, the search for a verdict, and adapters to refrank."""
