"""The events of the 64 strategy cards (7.4): one module for each kind of event, and the windows for counter events."""
