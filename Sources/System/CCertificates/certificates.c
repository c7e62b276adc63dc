#include "certificates.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <string.h>

void nervous_certificate_error(char *text, size_t capacity) {
    // The first is the cause; the others are of the functions that called it.
    ERR_error_string_n(ERR_get_error(), text, capacity);
    // libmosquitto would take what is left for errors of its own.
    ERR_clear_error();
}

/// Appends a name, whose value it takes over.
static bool add(
    GENERAL_NAMES *names, int kind, ASN1_STRING *value, const void *bytes, size_t count) {
    GENERAL_NAME *name = GENERAL_NAME_new();
    if (name == NULL || value == NULL || !ASN1_STRING_set(value, bytes, (int)count)) {
        ASN1_STRING_free(value);
        GENERAL_NAME_free(name);
        return false;
    }
    GENERAL_NAME_set0_value(name, kind, value);
    if (sk_GENERAL_NAME_push(names, name) > 0) return true;
    GENERAL_NAME_free(name);
    return false;
}

nervous_names *nervous_names_new(void) {
    return GENERAL_NAMES_new();
}

void nervous_names_free(nervous_names *names) {
    GENERAL_NAMES_free(names);
}

bool nervous_names_add_domain(nervous_names *names, const char *domain) {
    return add(names, GEN_DNS, ASN1_IA5STRING_new(), domain, strlen(domain));
}

bool nervous_names_add_address(nervous_names *names, const uint8_t *bytes, size_t count) {
    return add(names, GEN_IPADD, ASN1_OCTET_STRING_new(), bytes, count);
}

nervous_certificate *nervous_certificate_read(const char *pem) {
    BIO *source = BIO_new_mem_buf(pem, -1);
    if (source == NULL) return NULL;
    // With an empty password, since the default is to ask for one at the terminal.
    X509 *certificate = PEM_read_bio_X509(source, NULL, NULL, "");
    BIO_free(source);
    return certificate;
}

void nervous_certificate_free(nervous_certificate *certificate) {
    X509_free(certificate);
}

char *nervous_certificate_pem(nervous_certificate *certificate) {
    BIO *memory = BIO_new(BIO_s_mem());
    if (memory == NULL) return NULL;
    char *text = NULL, *content = NULL;
    if (PEM_write_bio_X509(memory, certificate)) {
        long count = BIO_get_mem_data(memory, &content);
        text = strndup(content, (size_t)count);
    }
    BIO_free(memory);
    return text;
}

bool nervous_certificate_sha256(const nervous_certificate *certificate, uint8_t digest[32]) {
    return X509_digest(certificate, EVP_sha256(), digest, NULL);
}

/// The seconds since 1970.
static bool seconds(const ASN1_TIME *time, int64_t *result) {
    ASN1_TIME *epoch = ASN1_TIME_set(NULL, 0);
    int days = 0, rest = 0;
    bool is_valid = epoch != NULL && ASN1_TIME_diff(&days, &rest, epoch, time);
    ASN1_TIME_free(epoch);
    *result = (int64_t)days * 86400 + rest;
    return is_valid;
}

bool nervous_certificate_get_validity(
    const nervous_certificate *certificate, nervous_validity *validity) {
    return seconds(X509_get0_notBefore(certificate), &validity->not_before)
        && seconds(X509_get0_notAfter(certificate), &validity->not_after);
}

bool nervous_certificate_has_key(
    const nervous_certificate *certificate, const uint8_t *key, size_t key_count) {
    EVP_PKEY *own = X509_get0_pubkey(certificate);
    EVP_PKEY *other = d2i_PUBKEY(NULL, &key, (long)key_count);
    bool is_equal = own != NULL && other != NULL && EVP_PKEY_eq(own, other) == 1;
    EVP_PKEY_free(other);
    ERR_clear_error();
    return is_equal;
}

bool nervous_certificate_is_signed_by(
    nervous_certificate *certificate, const nervous_certificate *authority) {
    EVP_PKEY *key = X509_get0_pubkey(authority);
    bool is_signed = key != NULL
        && X509_NAME_cmp(X509_get_issuer_name(certificate), X509_get_subject_name(authority)) == 0
        && X509_verify(certificate, key) == 1;
    ERR_clear_error();
    return is_signed;
}

/// Whether each of `some` is among `all`.
static bool are_among(const GENERAL_NAMES *some, const GENERAL_NAMES *all) {
    for (int i = 0; i < sk_GENERAL_NAME_num(some); i++) {
        bool is_found = false;
        for (int j = 0; j < sk_GENERAL_NAME_num(all) && !is_found; j++)
            is_found = GENERAL_NAME_cmp(
                sk_GENERAL_NAME_value(some, i), sk_GENERAL_NAME_value(all, j)) == 0;
        if (!is_found) return false;
    }
    return true;
}

bool nervous_certificate_has_names(
    const nervous_certificate *certificate, const nervous_names *names) {
    GENERAL_NAMES *present = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    bool is_equal = present != NULL && are_among(present, names) && are_among(names, present);
    GENERAL_NAMES_free(present);
    ERR_clear_error();
    return is_equal;
}

bool nervous_certificate_permits(
    const nervous_certificate *certificate, const nervous_names *names) {
    NAME_CONSTRAINTS *constraints =
        X509_get_ext_d2i(certificate, NID_name_constraints, NULL, NULL);
    GENERAL_NAMES *permitted = sk_GENERAL_NAME_new_null();
    bool is_complete = permitted != NULL;
    // These belong to the constraints, and the list is freed alone.
    for (int i = 0; constraints != NULL && is_complete
         && i < sk_GENERAL_SUBTREE_num(constraints->permittedSubtrees); i++)
        is_complete = sk_GENERAL_NAME_push(
            permitted, sk_GENERAL_SUBTREE_value(constraints->permittedSubtrees, i)->base) > 0;
    bool is_permitted = is_complete && are_among(names, permitted);
    sk_GENERAL_NAME_free(permitted);
    NAME_CONSTRAINTS_free(constraints);
    ERR_clear_error();
    return is_permitted;
}
