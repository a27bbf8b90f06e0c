"""Pages: what a game has to say as HTML, for letters and for the site. It knows no game, and no rule runs in a page."""
