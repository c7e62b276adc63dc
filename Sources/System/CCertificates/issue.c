#include "certificates.h"

#include <openssl/bn.h>
#include <string.h>

/// A positive number of 20 bytes, the most that RFC 5280 (section 4.1.2.2) allows, with 158 random
/// bits.
static bool set_serial(X509 *certificate) {
    BIGNUM *number = BN_new();
    bool is_set = number != NULL && BN_rand(number, 159, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY)
        && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != NULL;
    BN_free(number);
    return is_set;
}

/// An extension with its content as configuration files of OpenSSL have it.
static bool add_text(X509 *certificate, X509 *issuer, int kind, const char *text) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_nconf_nid(NULL, &context, kind, text);
    bool is_added = extension != NULL && X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    return is_added;
}

static bool add_subtree(NAME_CONSTRAINTS *constraints, const GENERAL_NAME *name) {
    GENERAL_SUBTREE *subtree = GENERAL_SUBTREE_new();
    if (subtree == NULL) return false;
    GENERAL_NAME_free(subtree->base);
    subtree->base = GENERAL_NAME_dup(name);
    if (subtree->base != NULL
        && sk_GENERAL_SUBTREE_push(constraints->permittedSubtrees, subtree) > 0)
        return true;
    GENERAL_SUBTREE_free(subtree);
    return false;
}

static bool add_constraints(X509 *certificate, const GENERAL_NAMES *permitted) {
    NAME_CONSTRAINTS *constraints = NAME_CONSTRAINTS_new();
    bool is_added = constraints != NULL
        && (constraints->permittedSubtrees = sk_GENERAL_SUBTREE_new_null()) != NULL;
    for (int i = 0; is_added && i < sk_GENERAL_NAME_num(permitted); i++)
        is_added = add_subtree(constraints, sk_GENERAL_NAME_value(permitted, i));
    const int critical = 1;
    is_added = is_added
        && X509_add1_ext_i2d(
            certificate, NID_name_constraints, constraints, critical, X509V3_ADD_APPEND) == 1;
    NAME_CONSTRAINTS_free(constraints);
    return is_added;
}

/// A certificate with all but its issuer, its extensions and a signature.
static X509 *draft(EVP_PKEY *key, const char *name, nervous_validity validity) {
    X509 *certificate = X509_new();
    if (certificate != NULL && X509_set_version(certificate, X509_VERSION_3)
        && set_serial(certificate) && X509_set_pubkey(certificate, key)
        && X509_NAME_add_entry_by_NID(
            X509_get_subject_name(certificate), NID_commonName, MBSTRING_UTF8,
            (const unsigned char *)name, -1, -1, 0)
        && ASN1_TIME_set(X509_getm_notBefore(certificate), (time_t)validity.not_before) != NULL
        && ASN1_TIME_set(X509_getm_notAfter(certificate), (time_t)validity.not_after) != NULL)
        return certificate;
    X509_free(certificate);
    return NULL;
}

/// Signs a certificate if all of it `is_complete`, and frees it otherwise.
static X509 *sign(X509 *certificate, EVP_PKEY *key, bool is_complete) {
    if (is_complete && X509_sign(certificate, key, EVP_sha256()) > 0) return certificate;
    X509_free(certificate);
    return NULL;
}

nervous_certificate *nervous_certificate_issue_authority(
    const uint8_t *key, size_t key_count, const char *name, nervous_validity validity,
    const nervous_names *permitted) {
    EVP_PKEY *own = d2i_AutoPrivateKey(NULL, &key, (long)key_count);
    X509 *made = own == NULL ? NULL : draft(own, name, validity);
    bool is_complete = made != NULL
        && X509_set_issuer_name(made, X509_get_subject_name(made))
        && add_text(made, made, NID_basic_constraints, "critical,CA:TRUE,pathlen:0")
        && add_text(made, made, NID_key_usage, "critical,keyCertSign")
        && add_constraints(made, permitted)
        && add_text(made, made, NID_subject_key_identifier, "hash");
    made = sign(made, own, is_complete);
    EVP_PKEY_free(own);
    return made;
}

nervous_certificate *nervous_certificate_issue_server(
    const uint8_t *key, size_t key_count, const char *name, nervous_validity validity,
    const nervous_names *names, nervous_certificate *authority, const uint8_t *authority_key,
    size_t authority_key_count) {
    EVP_PKEY *own = d2i_PUBKEY(NULL, &key, (long)key_count);
    EVP_PKEY *signer = d2i_AutoPrivateKey(NULL, &authority_key, (long)authority_key_count);
    X509 *made = own == NULL || signer == NULL ? NULL : draft(own, name, validity);
    bool is_complete = made != NULL
        && X509_set_issuer_name(made, X509_get_subject_name(authority))
        && add_text(made, authority, NID_basic_constraints, "critical,CA:FALSE")
        && add_text(made, authority, NID_key_usage, "critical,digitalSignature")
        && add_text(made, authority, NID_ext_key_usage, "serverAuth")
        && X509_add1_ext_i2d(
            made, NID_subject_alt_name, (void *)names, 0, X509V3_ADD_APPEND) == 1
        && add_text(made, authority, NID_subject_key_identifier, "hash")
        && add_text(made, authority, NID_authority_key_identifier, "keyid:always");
    made = sign(made, signer, is_complete);
    EVP_PKEY_free(own);
    EVP_PKEY_free(signer);
    return made;
}
