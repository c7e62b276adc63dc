#!/usr/bin/env python3
"""Narrow a Nervous token without the host, as attenuated-tokens.md specifies.

usage: attenuate.py [TERM=VALUE …] < TOKEN      print a narrower token
       attenuate.py --show < TOKEN              print what its blocks allow, and verify them

terms: label=NAME  sensor=ID (repeatable)  access=raw|stats|write  rate=HERTZ
       precision=STEP  history=MICROSECONDS  expires=MICROSECONDS  seal=yes

Needs only Python 3. The arithmetic of Ed25519 here is short and not constant in time.
"""

import base64
import hashlib
import hmac
import os
import struct
import sys

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


# Ed25519 (RFC 8032, section 5.1), with points as (X, Y, Z, T) and XY = ZT.


def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(scalar, point):
    result = (0, 1, 1, 0)
    while scalar > 0:
        if scalar & 1:
            result = add(result, point)
        point, scalar = add(point, point), scalar >> 1
    return result


def recover(y, sign):
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - square) % P or y >= P or (x == 0 and sign):
        raise ValueError("not a point of the curve")
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


BASE = recover(4 * pow(5, P - 2, P) % P, 0)


def compress(point):
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def decompress(data):
    number = int.from_bytes(data, "little")
    return recover(number & (1 << 255) - 1, number >> 255)


def expand(seed):
    digest = hashlib.sha512(seed).digest()
    scalar = int.from_bytes(digest[:32], "little")
    return scalar & (1 << 254) - 8 | 1 << 254, digest[32:]


def challenge(*parts):
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % ORDER


def public_key(seed):
    return compress(multiply(expand(seed)[0], BASE))


def sign(seed, message):
    scalar, prefix = expand(seed)
    nonce = challenge(prefix, message)
    point = compress(multiply(nonce, BASE))
    answer = nonce + challenge(point, public_key(seed), message) * scalar
    return point + (answer % ORDER).to_bytes(32, "little")


def verify(key, message, signature):
    answer = int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or answer >= ORDER:
        return False
    negative = ORDER - challenge(signature[:32], key, message)
    found = add(multiply(answer, BASE), multiply(negative, decompress(key)))
    return compress(found) == signature[:32]


# The token.


def decode(text, prefix):
    data = base64.urlsafe_b64decode(text[len(prefix):] + "=" * (-len(text) % 4))
    body, checksum = data[:-3], data[-3:]
    if not text.startswith(prefix) or hashlib.sha256(body).digest()[:3] != checksum:
        raise ValueError("not a token, or incomplete")
    return body


def encode(body, prefix):
    checksum = hashlib.sha256(body).digest()[:3]
    return prefix + base64.urlsafe_b64encode(body + checksum).decode().rstrip("=")


def root_seed(secret):
    """HKDF-SHA256 (RFC 5869) without salt."""
    key = hmac.digest(bytes(32), secret, "sha256")
    return hmac.digest(key, b"nervous-token-root-1" + b"\x01", "sha256")


def read(text):
    """The root, the blocks as (payload, signature), and the proof as (kind, bytes)."""
    body = decode(text, "nvc_")
    if body[0] != 1:
        raise ValueError("unknown version")
    root, count, rest = body[1:33], body[33], body[34:]
    blocks = []
    for _ in range(count):
        end = 2 + int.from_bytes(rest[:2], "big")
        blocks.append((rest[2:end], rest[end:end + 64]))
        rest = rest[end + 64:]
    return root, blocks, (rest[0], rest[1:])


def join(root, blocks):
    parts = [len(p).to_bytes(2, "big") + p + s for p, s in blocks]
    return b"\x01" + root + bytes([len(blocks)]) + b"".join(parts)


def block_message(root, blocks, payload):
    previous = blocks[-1][1] if blocks else bytes(64)
    return b"nervous-token-block-1\0" + root + bytes([len(blocks)]) + previous + payload


def seal_message(root, blocks):
    return b"nervous-token-seal-1\0" + join(root, blocks)


NAMES = ["", "label", "sensor", "access", "rate", "precision", "history", "expires"]
ACCESS = ["", "raw", "stats", "write"]


def value_bytes(name, text):
    if name in ("label", "sensor"):
        return text.encode()
    if name == "access":
        return bytes([ACCESS.index(text, 1)])
    return struct.pack(">d", float(text)) if name in ("rate", "precision") \
        else struct.pack(">q", int(text))


def payload_bytes(next_key, terms):
    entries = {bytes([NAMES.index(name, 1)]) + value_bytes(name, text) for name, text in terms}
    return next_key + b"".join(
        entry[:1] + bytes([len(entry) - 1]) + entry[1:] for entry in sorted(entries))


def attenuate(text, terms, seal=False):
    if text.startswith("nvs_"):
        seed = root_seed(decode(text, "nvs_"))
        root, blocks = public_key(seed), []
    else:
        root, blocks, (kind, seed) = read(text)
        if kind != 0:
            raise ValueError("the token is sealed")
    next_seed = os.urandom(32)
    payload = payload_bytes(public_key(next_seed), terms)
    blocks.append((payload, sign(seed, block_message(root, blocks, payload))))
    proof = b"\1" + sign(next_seed, seal_message(root, blocks)) if seal else b"\0" + next_seed
    return encode(join(root, blocks) + proof, "nvc_")


def show(text):
    root, blocks, (kind, proof) = read(text)
    key = root
    for index, (payload, signature) in enumerate(blocks):
        if not verify(key, block_message(root, blocks[:index], payload), signature):
            raise ValueError(f"block {index} is not signed with the key of the block before")
        key, rest, terms = payload[:32], payload[32:], []
        while rest:
            name, value = NAMES[rest[0]], rest[2:2 + rest[1]]
            rest = rest[2 + rest[1]:]
            if name in ("label", "sensor"):
                shown = value.decode()
            elif name == "access":
                shown = ACCESS[value[0]]
            else:
                form = ">d" if name in ("rate", "precision") else ">q"
                shown = repr(struct.unpack(form, value)[0])
            terms.append(f"{name}={shown}")
        print(" ".join(terms) or "-")
    ends = verify(key, seal_message(root, blocks), proof) if kind else public_key(proof) == key
    if not ends:
        raise ValueError("the token does not end as specified")
    print("sealed" if kind else "open")


def main(arguments):
    text = sys.stdin.read().strip()
    if arguments == ["--show"]:
        return show(text)
    terms = [tuple(argument.split("=", 1)) for argument in arguments]
    seals = ("seal", "yes") in terms
    print(attenuate(text, [term for term in terms if term[0] != "seal"], seals))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (ValueError, IndexError) as error:
        sys.exit(f"attenuate.py: {error}")
