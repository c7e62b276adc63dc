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

struct embedded_file runner_targets_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/targets.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_abort_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/abort.js"
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

struct embedded_file runner_bodies_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/bodies.js"
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

struct embedded_file runner_parts_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/parts.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_stream_queues_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/stream-queues.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_readable_stream_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/readable-stream.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_readable_bytes_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/readable-bytes.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_stream_readers_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/stream-readers.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_stream_tee_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/stream-tee.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_writable_stream_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/writable-stream.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_stream_pipe_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/stream-pipe.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_transform_stream_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/transform-stream.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_blob_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/blob.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_form_data_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/form-data.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_idna_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/idna.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_crypto_encodings_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/crypto/encodings.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_crypto_algorithms_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/crypto/algorithms.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_crypto_keys_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/crypto/keys.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_crypto_subtle_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/crypto/subtle.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_messaging_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/messaging.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_performance_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/performance.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_event_stream_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/event-stream.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_web_socket_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/web-socket.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_event_source_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/event-source.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_unavailable_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/unavailable.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_indexed_db_keys_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/indexed-db/keys.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_indexed_db_values_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/indexed-db/values.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_indexed_db_trees_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/indexed-db/trees.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_indexed_db_pages_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/indexed-db/pages.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_indexed_db_transactions_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/indexed-db/transactions.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file runner_indexed_db_interfaces_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Runner/Resources/indexed-db/interfaces.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}
