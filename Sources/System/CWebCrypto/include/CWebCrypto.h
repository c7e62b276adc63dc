/// The algorithms of the Web Cryptography API, made with Nettle.
///
/// None of these functions keeps a state, opens a file or makes a system call, so they work in a confined
/// process. Memory that overlaps is not supported. Functions that can fail return whether they succeeded.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    const uint8_t *bytes;
    size_t count;
} nervous_bytes;

/// A hash function: the number of bits of SHA-2, or 1 for SHA-1.
typedef uint32_t nervous_hash;

/// The number of bytes of a digest; 0 for an unknown function.
size_t nervous_digest_size(nervous_hash hash);

/// The number of bytes of the largest digest.
enum { NERVOUS_DIGEST_MOST = 64 };

bool nervous_digest(nervous_hash hash, nervous_bytes data, uint8_t *digest);

/// HMAC, of as many bytes as the digest has.
bool nervous_hmac(nervous_hash hash, nervous_bytes key, nervous_bytes data, uint8_t *code);

/// HKDF (RFC 5869); `count` is at most 255 digests.
bool nervous_hkdf(
    nervous_hash hash, nervous_bytes secret, nervous_bytes salt, nervous_bytes info, uint8_t *bytes,
    size_t count);

/// PBKDF2 with HMAC (RFC 8018).
bool nervous_pbkdf2(
    nervous_hash hash, nervous_bytes password, nervous_bytes salt, uint32_t iterations, uint8_t *bytes,
    size_t count);

/// Whether an AES key has a supported size.
bool nervous_aes_supports(size_t count);

/// AES in Galois/Counter Mode. `result` has the size of `data`, `tag` has 16 bytes, also when decrypting:
/// the caller compares it.
bool nervous_aes_gcm(
    nervous_bytes key, nervous_bytes iv, nervous_bytes additional, nervous_bytes data, bool encrypts,
    uint8_t *result, uint8_t *tag);

/// AES in Cipher Block Chaining mode, of whole blocks, without padding; `iv` has 16 bytes.
bool nervous_aes_cbc(
    nervous_bytes key, nervous_bytes iv, nervous_bytes data, bool encrypts, uint8_t *result);

/// AES in Counter Mode with a counter of 16 bytes, of which the last `bits` are counted.
///
/// Fails if the counter would repeat.
bool nervous_aes_ctr(
    nervous_bytes key, nervous_bytes counter, uint32_t bits, nervous_bytes data, uint8_t *result);

/// AES Key Wrap (RFC 3394) of at least 16 bytes and whole halves of blocks; the result has 8 bytes more.
bool nervous_aes_wrap(nervous_bytes key, nervous_bytes data, uint8_t *result);

/// The reverse of `nervous_aes_wrap`; fails if the data was changed.
bool nervous_aes_unwrap(nervous_bytes key, nervous_bytes data, uint8_t *result);

/// Whether two memories of `count` bytes are equal, in a time that does not depend on the bytes.
bool nervous_bytes_equal(const uint8_t *left, const uint8_t *right, size_t count);

/// A curve of NIST: 256, 384 or 521.
typedef uint32_t nervous_curve;

/// The number of bytes of a coordinate and of a private key; 0 for an unknown curve.
size_t nervous_curve_size(nervous_curve curve);

/// The number of bytes of the largest coordinate.
enum { NERVOUS_COORDINATE_MOST = 66 };

/// Fills memory with random bytes.
typedef void (*nervous_random)(void *context, size_t count, uint8_t *bytes);

/// Whether `point`, its two coordinates, is a point of the curve.
bool nervous_curve_has(nervous_curve curve, nervous_bytes point);

/// The coordinates of a point in compressed form: the sign, 2 or 3, and the first coordinate.
bool nervous_curve_decompress(nervous_curve curve, nervous_bytes compressed, uint8_t *point);

/// A private key, and its public key of two coordinates.
bool nervous_curve_generate(
    nervous_curve curve, nervous_random random, void *context, uint8_t *key, uint8_t *point);

/// The public key, of two coordinates.
bool nervous_curve_public(nervous_curve curve, nervous_bytes key, uint8_t *point);

/// ECDH: the first coordinate of the shared point.
bool nervous_ecdh(nervous_curve curve, nervous_bytes key, nervous_bytes point, uint8_t *secret);

/// ECDSA: `signature` is `r` and `s`, each of the size of a coordinate.
bool nervous_ecdsa_sign(
    nervous_curve curve, nervous_bytes key, nervous_bytes digest, nervous_random random, void *context,
    uint8_t *signature);

bool nervous_ecdsa_verify(
    nervous_curve curve, nervous_bytes point, nervous_bytes digest, nervous_bytes signature);
