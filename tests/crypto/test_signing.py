"""Signatures of commits: verified by us, by git and by OpenSSH, where that is there."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from pbem.crypto.signing import public_key, sign, verifies
from tests.support.live import Folder, git, history, play

SEED = b"s" * 32
PUBLIC = public_key(SEED)
NO_SSH = "ssh-keygen is not on this machine"


def test_signature_is_of_one_message_one_key_and_one_purpose() -> None:
    """A signature is that of one message, one key and one purpose."""
    signature = sign(SEED, b"tree")
    assert signature == sign(SEED, b"tree")
    assert verifies(PUBLIC, b"tree", signature)
    assert not verifies(PUBLIC, b"tree ", signature)
    assert not verifies(PUBLIC, b"tree", sign(SEED, b"tree", "file"))
    assert not verifies(public_key(b"t" * 32), b"tree", signature)
    assert not verifies("ssh-rsa AAAA", b"tree", signature)


def test_every_letter_of_a_signature_counts() -> None:
    signature = sign(SEED, b"tree")
    begin = signature.index(b"\n") + 1
    for at in range(begin, signature.rindex(b"\n"), 7):
        other = b"A" if signature[at : at + 1] != b"A" else b"B"
        assert not verifies(PUBLIC, b"tree", signature[:at] + other + signature[at + 1 :])
    for wrong in (b"", b"no signature", signature[:-1], signature[begin:]):
        assert not verifies(PUBLIC, b"tree", wrong)


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason=NO_SSH)
def test_openssh_makes_the_same(tmp_path: Path) -> None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    private = Ed25519PrivateKey.from_private_bytes(SEED)
    key = tmp_path / "key"
    key.write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
    key.chmod(0o600)
    (tmp_path / "message").write_bytes(b"tree")
    subprocess.run(
        ["ssh-keygen", "-Y", "sign", "-n", "git", "-f", str(key), str(tmp_path / "message")],
        check=True,
        capture_output=True,
    )
    assert (tmp_path / "message.sig").read_bytes().strip() == sign(SEED, b"tree")


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason=NO_SSH)
def test_git_verifies_every_commit_of_a_game(tmp_path: Path) -> None:
    with Folder(tmp_path).create() as game:
        for _ in play(game, 3, 4):
            pass
        allowed = tmp_path / "allowed"
        allowed.write_text(f"pbem {game.charter.signed_by}\n")
        words = ("-c", f"gpg.ssh.allowedSignersFile={allowed}", "verify-commit", "-v")
        for commit in history(game):
            assert "Good " in git(game.ledger.repo.path, *words, commit)
