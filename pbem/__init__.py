"""The referee `pbem`: board wargames played by e-mail, one letter at a time.

Order sheets go in, adjudications and reports come out, and anybody can verify the dice. Read `pbem.protocol` first.
"""

__version__ = "0.3.0"
