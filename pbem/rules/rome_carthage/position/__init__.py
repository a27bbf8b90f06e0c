"""The position: what never changes (board), what does (state), and what must hold for both."""
