/// The X.509 certificates of a server and of the authority that signs it, made with OpenSSL.
///
/// Functions that make something return `NULL` or `false` when they fail, and
/// `nervous_certificate_error` then has the reason. Keys are P-256.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A certificate; free it with `nervous_certificate_free`.
typedef struct x509_st nervous_certificate;

/// Domains and addresses; free them with `nervous_names_free`.
typedef struct stack_st_GENERAL_NAME nervous_names;

/// The first and the last second of a certificate, since 1970 in UTC.
typedef struct {
    int64_t not_before;
    int64_t not_after;
} nervous_validity;

/// An empty list of names.
nervous_names *nervous_names_new(void);
void nervous_names_free(nervous_names *names);

/// Appends a domain. In constraints it stands for all names below it, too.
bool nervous_names_add_domain(nervous_names *names, const char *domain);

/// Appends an address in network order, of 4 or 16 bytes. In constraints its mask follows it.
bool nervous_names_add_address(nervous_names *names, const uint8_t *bytes, size_t count);

/// A certificate of an authority, which its own key signs, and which may sign servers only.
///
/// - Parameters:
///   - key: the private key, in DER (PKCS #8).
///   - name: the common name, of 1 to 64 characters.
///   - permitted: what it may vouch for.
nervous_certificate *nervous_certificate_issue_authority(
    const uint8_t *key, size_t key_count, const char *name, nervous_validity validity,
    const nervous_names *permitted);

/// A certificate of a server.
///
/// - Parameters:
///   - key: the server's public key, in DER (`SubjectPublicKeyInfo`).
///   - name: the common name, of 1 to 64 characters, which clients ignore.
///   - names: its domains and addresses.
///   - authority_key: the private key of the authority, in DER (PKCS #8).
nervous_certificate *nervous_certificate_issue_server(
    const uint8_t *key, size_t key_count, const char *name, nervous_validity validity,
    const nervous_names *names, nervous_certificate *authority, const uint8_t *authority_key,
    size_t authority_key_count);

/// The first certificate in a text in PEM.
nervous_certificate *nervous_certificate_read(const char *pem);
void nervous_certificate_free(nervous_certificate *certificate);

/// The certificate in PEM, with a newline at its end; free it with `free`.
char *nervous_certificate_pem(nervous_certificate *certificate);

/// The SHA-256 of the certificate in DER.
bool nervous_certificate_sha256(const nervous_certificate *certificate, uint8_t digest[32]);

/// When the certificate is valid.
bool nervous_certificate_get_validity(
    const nervous_certificate *certificate, nervous_validity *validity);

/// Whether it certifies this public key, which is in DER (`SubjectPublicKeyInfo`).
bool nervous_certificate_has_key(
    const nervous_certificate *certificate, const uint8_t *key, size_t key_count);

/// Whether it names the subject of `authority` as its issuer, and the key of `authority` signed it.
bool nervous_certificate_is_signed_by(
    nervous_certificate *certificate, const nervous_certificate *authority);

/// Whether its alternative names are these and no others, in any order.
bool nervous_certificate_has_names(
    const nervous_certificate *certificate, const nervous_names *names);

/// Whether each of these is among its permitted domains and ranges of addresses.
bool nervous_certificate_permits(
    const nervous_certificate *certificate, const nervous_names *names);

/// Writes the reason of the last failure in this thread.
void nervous_certificate_error(char *text, size_t capacity);
