"""Secrets and proofs: commit-reveal dice, players' chains, the public beacon, encryption, signatures, key files."""
