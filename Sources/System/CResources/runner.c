#include "CResources.h"

struct embedded_file runner_primordials_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/primordials.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_errors_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/errors.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_inspect_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/inspect.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_console_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/console.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_timers_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/timers.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_events_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/events.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_encoding_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/encoding.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_crypto_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/crypto.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_clone_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/clone.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_addresses_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/addresses.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_search_params_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/search-params.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_url_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/url.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_streams_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/streams.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_headers_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/headers.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_fetch_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/fetch.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_xhr_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/xhr.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_storage_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/storage.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_window_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/window.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_libraries_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/libraries.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_modules_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/modules.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_document_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/document.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_bootstrap_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/bootstrap.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}
