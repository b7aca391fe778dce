"""Parts of the site's build: pages that are generated, links into the sources, and what every page gets."""
