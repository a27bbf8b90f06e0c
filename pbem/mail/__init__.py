"""Letters: what players send is opened here, what they get is put together here.

The only room that knows how mail is made. What leaves it are plain bytes and texts: order sheets, still unread,
and whole letters, still unsent.
"""
