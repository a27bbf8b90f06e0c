"""From the text of a sheet to checked orders, and the standing orders that answer where no sheet does."""
