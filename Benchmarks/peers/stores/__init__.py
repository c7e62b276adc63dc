"""One module for each store that is measured."""
