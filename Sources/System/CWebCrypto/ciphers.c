#include "CWebCrypto.h"

#include <nettle/aes.h>
#include <nettle/cbc.h>
#include <nettle/ctr.h>
#include <nettle/gcm.h>
#include <nettle/memops.h>
#include <nettle/nist-keywrap.h>
#include <string.h>

/// A key of any size, and the functions that use it.
struct cipher {
    union {
        struct aes128_ctx aes128;
        struct aes192_ctx aes192;
        struct aes256_ctx aes256;
    } key;
    nettle_cipher_func *encrypt;
    nettle_cipher_func *decrypt;
};

#define PREPARE(bits)                                                                            \
    do {                                                                                         \
        if (encrypts)                                                                            \
            aes##bits##_set_encrypt_key(&cipher->key.aes##bits, key.bytes);                      \
        else                                                                                     \
            aes##bits##_set_decrypt_key(&cipher->key.aes##bits, key.bytes);                      \
        cipher->encrypt = (nettle_cipher_func *)aes##bits##_encrypt;                             \
        cipher->decrypt = (nettle_cipher_func *)aes##bits##_decrypt;                             \
    } while (0)

static bool prepare(struct cipher *cipher, nervous_bytes key, bool encrypts) {
    switch (key.count) {
    case 16: PREPARE(128); return true;
    case 24: PREPARE(192); return true;
    case 32: PREPARE(256); return true;
    default: return false;
    }
}

bool nervous_aes_supports(size_t count) { return count == 16 || count == 24 || count == 32; }

bool nervous_bytes_equal(const uint8_t *left, const uint8_t *right, size_t count) {
    return count == 0 || memeql_sec(left, right, count);
}

bool nervous_aes_gcm(
    nervous_bytes key, nervous_bytes iv, nervous_bytes additional, nervous_bytes data, bool encrypts,
    uint8_t *result, uint8_t *tag
) {
    struct cipher cipher;
    // The counter is encrypted in both directions.
    if (iv.count == 0 || !prepare(&cipher, key, true)) return false;
    struct gcm_key hash;
    struct gcm_ctx state;
    gcm_set_key(&hash, &cipher.key, cipher.encrypt);
    gcm_set_iv(&state, &hash, iv.count, iv.bytes);
    gcm_update(&state, &hash, additional.count, additional.bytes);
    if (encrypts)
        gcm_encrypt(&state, &hash, &cipher.key, cipher.encrypt, data.count, result, data.bytes);
    else
        gcm_decrypt(&state, &hash, &cipher.key, cipher.encrypt, data.count, result, data.bytes);
    gcm_digest(&state, &hash, &cipher.key, cipher.encrypt, GCM_DIGEST_SIZE, tag);
    return true;
}

bool nervous_aes_cbc(
    nervous_bytes key, nervous_bytes iv, nervous_bytes data, bool encrypts, uint8_t *result
) {
    struct cipher cipher;
    if (iv.count != AES_BLOCK_SIZE || data.count % AES_BLOCK_SIZE != 0) return false;
    if (!prepare(&cipher, key, encrypts)) return false;
    uint8_t block[AES_BLOCK_SIZE];
    memcpy(block, iv.bytes, sizeof block);
    if (encrypts)
        cbc_encrypt(&cipher.key, cipher.encrypt, AES_BLOCK_SIZE, block, data.count, result, data.bytes);
    else
        cbc_decrypt(&cipher.key, cipher.decrypt, AES_BLOCK_SIZE, block, data.count, result, data.bytes);
    return true;
}

/// Adds 1 to the last `bits` of a block, which wrap.
static void increment(uint8_t *block, uint32_t bits) {
    for (int index = AES_BLOCK_SIZE - 1; bits > 0; index--) {
        const uint8_t mask = bits >= 8 ? 0xff : (uint8_t)((1 << bits) - 1);
        const uint8_t sum = (uint8_t)(block[index] + 1);
        block[index] = (uint8_t)((block[index] & ~mask) | (sum & mask));
        if ((sum & mask) != 0) return;
        bits -= bits >= 8 ? 8 : bits;
    }
}

bool nervous_aes_ctr(
    nervous_bytes key, nervous_bytes counter, uint32_t bits, nervous_bytes data, uint8_t *result
) {
    struct cipher cipher;
    if (counter.count != AES_BLOCK_SIZE || bits == 0 || bits > 128) return false;
    const uint64_t blocks = data.count / AES_BLOCK_SIZE + (data.count % AES_BLOCK_SIZE != 0);
    if (bits < 64 && blocks > (uint64_t)1 << bits) return false;
    if (!prepare(&cipher, key, true)) return false;
    uint8_t block[AES_BLOCK_SIZE], stream[AES_BLOCK_SIZE];
    memcpy(block, counter.bytes, sizeof block);
    for (size_t done = 0; done < data.count;) {
        cipher.encrypt(&cipher.key, AES_BLOCK_SIZE, stream, block);
        increment(block, bits);
        for (size_t index = 0; index < AES_BLOCK_SIZE && done < data.count; index++, done++)
            result[done] = data.bytes[done] ^ stream[index];
    }
    return true;
}

/// The value by which the standard recognizes an unchanged key.
static const uint8_t intact[8] = {0xa6, 0xa6, 0xa6, 0xa6, 0xa6, 0xa6, 0xa6, 0xa6};

bool nervous_aes_wrap(nervous_bytes key, nervous_bytes data, uint8_t *result) {
    struct cipher cipher;
    if (data.count < 16 || data.count % 8 != 0 || !prepare(&cipher, key, true)) return false;
    nist_keywrap16(&cipher.key, cipher.encrypt, intact, data.count + 8, result, data.bytes);
    return true;
}

bool nervous_aes_unwrap(nervous_bytes key, nervous_bytes data, uint8_t *result) {
    struct cipher cipher;
    if (data.count < 24 || data.count % 8 != 0 || !prepare(&cipher, key, false)) return false;
    return nist_keyunwrap16(&cipher.key, cipher.decrypt, intact, data.count - 8, result, data.bytes);
}
