"""What Schemathesis can't know of this API: which addresses are well formed, and which of them are there."""

import os

import schemathesis
from hypothesis import strategies as st

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
KNOWN = os.environ["KNOWN_ADDRESSES"].split(",")


def base58(raw: bytes) -> str:
    number = int.from_bytes(raw, "big")
    digits = ""
    while number > 0:
        number, digit = divmod(number, 58)
        digits = ALPHABET[digit] + digits
    return "1" * (len(raw) - len(raw.lstrip(b"\0"))) + digits


addresses = st.binary(min_size=32, max_size=32).map(base58)
schemathesis.openapi.format("base58-address", st.sampled_from(KNOWN) | addresses)
