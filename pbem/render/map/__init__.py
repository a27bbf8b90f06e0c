"""The map as a picture: a scene in, a PNG out."""
