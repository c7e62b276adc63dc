#include "CWebCrypto.h"

#include <gmp.h>
#include <nettle/bignum.h>
#include <nettle/ecc-curve.h>
#include <nettle/ecc.h>
#include <nettle/ecdsa.h>
#include <string.h>

static const struct ecc_curve *find(nervous_curve curve) {
    switch (curve) {
    case 256: return nettle_get_secp_256r1();
    case 384: return nettle_get_secp_384r1();
    case 521: return nettle_get_secp_521r1();
    default: return NULL;
    }
}

size_t nervous_curve_size(nervous_curve curve) {
    const struct ecc_curve *found = find(curve);
    return found ? (ecc_bit_size(found) + 7) / 8 : 0;
}

static void read_number(mpz_t number, const uint8_t *bytes, size_t count) {
    nettle_mpz_set_str_256_u(number, count, bytes);
}

/// Sets an initialized point; fails unless it is on the curve.
static bool set_point(struct ecc_point *point, nervous_bytes bytes, size_t size) {
    if (bytes.count != 2 * size) return false;
    mpz_t x, y;
    mpz_inits(x, y, NULL);
    read_number(x, bytes.bytes, size);
    read_number(y, bytes.bytes + size, size);
    const bool is_valid = ecc_point_set(point, x, y);
    mpz_clears(x, y, NULL);
    return is_valid;
}

static void get_point(const struct ecc_point *point, uint8_t *bytes, size_t size) {
    mpz_t x, y;
    mpz_inits(x, y, NULL);
    ecc_point_get(point, x, y);
    nettle_mpz_get_str_256(size, bytes, x);
    nettle_mpz_get_str_256(size, bytes + size, y);
    mpz_clears(x, y, NULL);
}

/// Sets an initialized private key; fails unless it is in the range of the curve.
static bool set_key(struct ecc_scalar *key, nervous_bytes bytes, size_t size) {
    if (bytes.count != size) return false;
    mpz_t number;
    mpz_init(number);
    read_number(number, bytes.bytes, size);
    const bool is_valid = ecc_scalar_set(key, number);
    mpz_clear(number);
    return is_valid;
}

bool nervous_curve_has(nervous_curve curve, nervous_bytes point) {
    const struct ecc_curve *found = find(curve);
    if (!found) return false;
    struct ecc_point set;
    ecc_point_init(&set, found);
    const bool is_valid = set_point(&set, point, nervous_curve_size(curve));
    ecc_point_clear(&set);
    return is_valid;
}

// The prime of a curve and its constant b; the constant a is -3. From SP 800-186, section 3.2.1.
static const struct {
    nervous_curve curve;
    const char *prime, *b;
} constants[] = {
    {
        256, "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
        "5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b",
    },
    {
        384,
        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe"
        "ffffffff0000000000000000ffffffff",
        "b3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875a"
        "c656398d8a2ed19d2a85c8edd3ec2aef",
    },
    {
        521,
        "1ff"
        "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
        "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "51"
        "953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e1"
        "56193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00",
    },
};

/// Sets `y` to the square root of x³ - 3x + b that has the parity of `sign`; all primes are 3 modulo 4.
static void find_y(mpz_t y, const mpz_t x, unsigned sign, const char *prime, const char *b) {
    mpz_t p, power;
    mpz_init_set_str(p, prime, 16);
    mpz_init_set_str(power, b, 16);
    mpz_set(y, power);
    mpz_submul_ui(y, x, 3);
    mpz_powm_ui(power, x, 3, p);
    mpz_add(y, y, power);
    mpz_mod(y, y, p);
    mpz_add_ui(power, p, 1);
    mpz_fdiv_q_2exp(power, power, 2);
    mpz_powm(y, y, power, p);
    if (mpz_odd_p(y) != (int)(sign & 1)) mpz_sub(y, p, y);
    mpz_clears(p, power, NULL);
}

bool nervous_curve_decompress(nervous_curve curve, nervous_bytes compressed, uint8_t *point) {
    const size_t size = nervous_curve_size(curve);
    if (size == 0 || compressed.count != size + 1) return false;
    const unsigned sign = compressed.bytes[0];
    if (sign != 2 && sign != 3) return false;
    mpz_t x, y;
    mpz_inits(x, y, NULL);
    read_number(x, compressed.bytes + 1, size);
    for (size_t index = 0; index < sizeof constants / sizeof *constants; index++) {
        if (constants[index].curve == curve)
            find_y(y, x, sign, constants[index].prime, constants[index].b);
    }
    memcpy(point, compressed.bytes + 1, size);
    nettle_mpz_get_str_256(size, point + size, y);
    mpz_clears(x, y, NULL);
    // There may be no such root.
    return nervous_curve_has(curve, (nervous_bytes){point, 2 * size});
}

bool nervous_curve_generate(
    nervous_curve curve, nervous_random random, void *context, uint8_t *key, uint8_t *point
) {
    const struct ecc_curve *found = find(curve);
    if (!found) return false;
    const size_t size = nervous_curve_size(curve);
    struct ecc_scalar private;
    struct ecc_point public;
    ecc_scalar_init(&private, found);
    ecc_point_init(&public, found);
    ecdsa_generate_keypair(&public, &private, context, random);
    mpz_t number;
    mpz_init(number);
    ecc_scalar_get(&private, number);
    nettle_mpz_get_str_256(size, key, number);
    mpz_clear(number);
    get_point(&public, point, size);
    ecc_scalar_clear(&private);
    ecc_point_clear(&public);
    return true;
}

bool nervous_curve_public(nervous_curve curve, nervous_bytes key, uint8_t *point) {
    const struct ecc_curve *found = find(curve);
    if (!found) return false;
    const size_t size = nervous_curve_size(curve);
    struct ecc_scalar private;
    ecc_scalar_init(&private, found);
    const bool is_valid = set_key(&private, key, size);
    if (is_valid) {
        struct ecc_point public;
        ecc_point_init(&public, found);
        ecc_point_mul_g(&public, &private);
        get_point(&public, point, size);
        ecc_point_clear(&public);
    }
    ecc_scalar_clear(&private);
    return is_valid;
}

bool nervous_ecdh(nervous_curve curve, nervous_bytes key, nervous_bytes point, uint8_t *secret) {
    const struct ecc_curve *found = find(curve);
    if (!found) return false;
    const size_t size = nervous_curve_size(curve);
    struct ecc_scalar private;
    struct ecc_point public, shared;
    ecc_scalar_init(&private, found);
    ecc_point_init(&public, found);
    ecc_point_init(&shared, found);
    const bool is_valid = set_key(&private, key, size) && set_point(&public, point, size);
    if (is_valid) {
        uint8_t both[2 * NERVOUS_COORDINATE_MOST];
        ecc_point_mul(&shared, &private, &public);
        get_point(&shared, both, size);
        memcpy(secret, both, size);
    }
    ecc_scalar_clear(&private);
    ecc_point_clear(&public);
    ecc_point_clear(&shared);
    return is_valid;
}

bool nervous_ecdsa_sign(
    nervous_curve curve, nervous_bytes key, nervous_bytes digest, nervous_random random, void *context,
    uint8_t *signature
) {
    const struct ecc_curve *found = find(curve);
    if (!found) return false;
    const size_t size = nervous_curve_size(curve);
    struct ecc_scalar private;
    ecc_scalar_init(&private, found);
    const bool is_valid = set_key(&private, key, size);
    if (is_valid) {
        struct dsa_signature made;
        dsa_signature_init(&made);
        ecdsa_sign(&private, context, random, digest.count, digest.bytes, &made);
        nettle_mpz_get_str_256(size, signature, made.r);
        nettle_mpz_get_str_256(size, signature + size, made.s);
        dsa_signature_clear(&made);
    }
    ecc_scalar_clear(&private);
    return is_valid;
}

bool nervous_ecdsa_verify(
    nervous_curve curve, nervous_bytes point, nervous_bytes digest, nervous_bytes signature
) {
    const struct ecc_curve *found = find(curve);
    if (!found) return false;
    const size_t size = nervous_curve_size(curve);
    if (signature.count != 2 * size) return false;
    struct ecc_point public;
    ecc_point_init(&public, found);
    bool is_valid = set_point(&public, point, size);
    if (is_valid) {
        struct dsa_signature given;
        dsa_signature_init(&given);
        read_number(given.r, signature.bytes, size);
        read_number(given.s, signature.bytes + size, size);
        is_valid = ecdsa_verify(&public, digest.count, digest.bytes, &given);
        dsa_signature_clear(&given);
    }
    ecc_point_clear(&public);
    return is_valid;
}
