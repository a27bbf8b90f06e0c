"""The position: what never changes, what does, how it is read and audited."""
