#pragma once

// What later versions of OpenSSL deprecate is no error here.
#define OPENSSL_API_COMPAT 30000

#include "CCertificates.h"

#include <openssl/x509.h>
#include <openssl/x509v3.h>
