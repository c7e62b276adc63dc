// Files that are compiled into the programs, by way of #embed.
#ifndef CRESOURCES_H
#define CRESOURCES_H

#include <stddef.h>

/// The bytes of a file; they live as long as the process.
struct embedded_file {
    const unsigned char *bytes;
    size_t size;
};

/// A file with its name in its folder.
struct named_file {
    const char *name;
    struct embedded_file file;
};

/// The files of a folder; they live as long as the process.
struct named_files {
    const struct named_file *files;
    size_t count;
};

struct embedded_file runner_primordials_js(void);
struct embedded_file runner_errors_js(void);
struct embedded_file runner_inspect_js(void);
struct embedded_file runner_console_js(void);
struct embedded_file runner_timers_js(void);
struct embedded_file runner_events_js(void);
struct embedded_file runner_targets_js(void);
struct embedded_file runner_abort_js(void);
struct embedded_file runner_encoding_js(void);
struct embedded_file runner_crypto_js(void);
struct embedded_file runner_messaging_js(void);
struct embedded_file runner_performance_js(void);
struct embedded_file runner_event_stream_js(void);
struct embedded_file runner_event_source_js(void);
struct embedded_file runner_web_socket_js(void);
struct embedded_file runner_crypto_encodings_js(void);
struct embedded_file runner_crypto_algorithms_js(void);
struct embedded_file runner_crypto_keys_js(void);
struct embedded_file runner_crypto_subtle_js(void);
struct embedded_file runner_indexed_db_keys_js(void);
struct embedded_file runner_indexed_db_values_js(void);
struct embedded_file runner_indexed_db_trees_js(void);
struct embedded_file runner_indexed_db_pages_js(void);
struct embedded_file runner_indexed_db_transactions_js(void);
struct embedded_file runner_indexed_db_interfaces_js(void);
struct embedded_file runner_clone_js(void);
struct embedded_file runner_addresses_js(void);
struct embedded_file runner_search_params_js(void);
struct embedded_file runner_url_js(void);
struct embedded_file runner_bodies_js(void);
struct embedded_file runner_headers_js(void);
struct embedded_file runner_fetch_js(void);
struct embedded_file runner_xhr_js(void);
struct embedded_file runner_storage_js(void);
struct embedded_file runner_window_js(void);
struct embedded_file runner_libraries_js(void);
struct embedded_file runner_modules_js(void);
struct embedded_file runner_document_js(void);
struct embedded_file runner_parts_js(void);
struct embedded_file runner_unavailable_js(void);
struct embedded_file runner_bootstrap_js(void);
struct embedded_file runner_stream_queues_js(void);
struct embedded_file runner_readable_stream_js(void);
struct embedded_file runner_readable_bytes_js(void);
struct embedded_file runner_stream_readers_js(void);
struct embedded_file runner_stream_tee_js(void);
struct embedded_file runner_writable_stream_js(void);
struct embedded_file runner_stream_pipe_js(void);
struct embedded_file runner_transform_stream_js(void);
struct embedded_file runner_blob_js(void);
struct embedded_file runner_form_data_js(void);
struct embedded_file runner_idna_js(void);

struct embedded_file provider_nervous_js(void);
struct embedded_file provider_generic_sensor_js(void);
struct embedded_file provider_navigator_js(void);
struct embedded_file provider_nervous_d_ts(void);
struct embedded_file provider_test_js(void);
struct embedded_file provider_libs_js(void);
struct embedded_file provider_numeric_js(void);
struct embedded_file provider_styles_css(void);
struct embedded_file provider_openapi_json(void);

struct named_files dashboard_files(void);

struct embedded_file template_package_json(void);
struct embedded_file template_app_js(void);
struct embedded_file template_app_html(void);
struct embedded_file template_page_js(void);
struct embedded_file template_app_test_js(void);
struct embedded_file template_test_d_ts(void);

#endif
