"""The service: from a mailbox over the games to the mail server, and who is on duty."""
