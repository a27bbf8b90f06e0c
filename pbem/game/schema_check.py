"""The check of plain values against JSON Schemas, with a suggestion where a key or a word is only misspelt."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from pbem.game.wording import did_you_mean
from pbem.protocol import Path

LONGEST_REASON: Final = 200
ANY_SCHEMA: Final = {"$ref": "https://json-schema.org/draft/2020-12/schema"}
"""The schema of schemas."""


def misfits(value: Any, schema: Any) -> Iterator[tuple[Path, str, bool]]:
    """Yield where a value does not fit a schema, why, and whether it is the key there that does not."""
    from jsonschema import Draft202012Validator  # takes longer to import than a box to open

    for error in Draft202012Validator(schema).iter_errors(value):
        path: Path = tuple(error.absolute_path)
        if error.validator == "additionalProperties" and error.validator_value is False:
            known = error.schema.get("properties", {})
            patterns = error.schema.get("patternProperties", {})
            for key in error.instance:
                if key not in known and not any(re.search(pattern, key) for pattern in patterns):
                    yield (*path, key), f"{key} does not belong here{did_you_mean(key, known)}", True
        elif error.validator == "not" and "required" in error.validator_value:
            yield path, f"{' and '.join(error.validator_value['required'])} does not go with the rest of it", False
        elif error.validator == "enum":
            words = [str(word) for word in error.validator_value]
            many = f"{error.instance!r} is none of the {len(words)} words that may stand here"
            told = error.message if len(error.message) <= LONGEST_REASON else many
            yield path, told + did_you_mean(error.instance, words), False
        else:
            yield path, error.message[:LONGEST_REASON], False
