#include "CWebCrypto.h"

#include <nettle/hmac.h>
#include <nettle/pbkdf2.h>
#include <string.h>

/// The state of HMAC with any of the functions.
union state {
    struct hmac_sha1_ctx sha1;
    struct hmac_sha256_ctx sha256;
    struct hmac_sha512_ctx sha512;
};

typedef void set_key(void *state, size_t count, const uint8_t *key);

struct function {
    nervous_hash name;
    const struct nettle_hash *hash;
    set_key *set_key;
    nettle_hash_update_func *update;
    nettle_hash_digest_func *digest;
};

#define FUNCTION(bits, hash, suffix)                                                             \
    {                                                                                            \
        bits, &hash, (set_key *)hmac_##suffix##_set_key,                                         \
            (nettle_hash_update_func *)hmac_##suffix##_update,                                   \
            (nettle_hash_digest_func *)hmac_##suffix##_digest,                                   \
    }

static const struct function functions[] = {
    FUNCTION(1, nettle_sha1, sha1),
    FUNCTION(256, nettle_sha256, sha256),
    FUNCTION(384, nettle_sha384, sha384),
    FUNCTION(512, nettle_sha512, sha512),
};

static const struct function *find(nervous_hash name) {
    for (size_t index = 0; index < sizeof functions / sizeof *functions; index++)
        if (functions[index].name == name) return &functions[index];
    return NULL;
}

size_t nervous_digest_size(nervous_hash hash) {
    const struct function *function = find(hash);
    return function ? function->hash->digest_size : 0;
}

bool nervous_digest(nervous_hash hash, nervous_bytes data, uint8_t *digest) {
    const struct function *function = find(hash);
    if (!function) return false;
    union {
        struct sha1_ctx sha1;
        struct sha256_ctx sha256;
        struct sha512_ctx sha512;
    } state;
    function->hash->init(&state);
    function->hash->update(&state, data.count, data.bytes);
    function->hash->digest(&state, function->hash->digest_size, digest);
    return true;
}

static void mac(
    const struct function *function, nervous_bytes key, const nervous_bytes *parts, size_t count,
    uint8_t *code
) {
    union state state;
    function->set_key(&state, key.count, key.bytes);
    for (size_t index = 0; index < count; index++)
        function->update(&state, parts[index].count, parts[index].bytes);
    function->digest(&state, function->hash->digest_size, code);
}

bool nervous_hmac(nervous_hash hash, nervous_bytes key, nervous_bytes data, uint8_t *code) {
    const struct function *function = find(hash);
    if (!function) return false;
    mac(function, key, &data, 1, code);
    return true;
}

bool nervous_hkdf(
    nervous_hash hash, nervous_bytes secret, nervous_bytes salt, nervous_bytes info, uint8_t *bytes,
    size_t count
) {
    const struct function *function = find(hash);
    if (!function) return false;
    const size_t size = function->hash->digest_size;
    if (count > 255 * size) return false;
    uint8_t key[NERVOUS_DIGEST_MOST], block[NERVOUS_DIGEST_MOST];
    mac(function, salt, &secret, 1, key);
    uint8_t number = 0;
    for (size_t done = 0; done < count;) {
        const size_t before = number == 0 ? 0 : size;
        number++;
        const nervous_bytes parts[] = {{block, before}, info, {&number, 1}};
        uint8_t next[NERVOUS_DIGEST_MOST];
        mac(function, (nervous_bytes){key, size}, parts, 3, next);
        memcpy(block, next, size);
        const size_t part = count - done < size ? count - done : size;
        memcpy(bytes + done, block, part);
        done += part;
    }
    return true;
}

bool nervous_pbkdf2(
    nervous_hash hash, nervous_bytes password, nervous_bytes salt, uint32_t iterations, uint8_t *bytes,
    size_t count
) {
    const struct function *function = find(hash);
    if (!function || iterations == 0) return false;
    union state state;
    function->set_key(&state, password.count, password.bytes);
    if (count > 0) {
        pbkdf2(
            &state, function->update, function->digest, function->hash->digest_size, iterations,
            salt.count, salt.bytes, count, bytes);
    }
    return true;
}
