"""E-mail in and out: opens the letters that players send, and writes those that they get.

The only room that knows how mail is made. What leaves it are plain bytes and texts: order sheets, still unread,
and whole letters, still unsent.
"""
