internal import CResources

/// A file that was compiled into the program.
public struct EmbeddedFile: Sendable {
    /// The whole content.
    public let bytes: [UInt8]

    /// The content, which is UTF-8.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    fileprivate init(_ file: embedded_file) {
        bytes = Array(UnsafeBufferPointer(start: file.bytes, count: file.size))
    }
}

/// The scripts that provide the web platform for apps; see `Sources/Runner/Resources`.
public enum RunnerScripts {
    /// All scripts, in the order of evaluation.
    public static var all: [EmbeddedFile] {
        [
            runner_primordials_js(),
            runner_errors_js(),
            runner_inspect_js(),
            runner_console_js(),
            runner_timers_js(),
            runner_events_js(),
            runner_targets_js(),
            runner_abort_js(),
            runner_encoding_js(),
            runner_crypto_js(),
            runner_clone_js(),
            runner_addresses_js(),
            runner_search_params_js(),
            runner_url_js(),
            runner_bodies_js(),
            runner_headers_js(),
            runner_fetch_js(),
            runner_xhr_js(),
            runner_storage_js(),
            runner_window_js(),
            runner_libraries_js(),
            runner_modules_js(),
            runner_document_js(),
            runner_parts_js(),
            runner_unavailable_js(),
            runner_bootstrap_js(),
        ].map(EmbeddedFile.init)
    }

    /// The files of the parts that are compiled at first use, by the number that `parts.js` gives
    /// each part.
    public static var parts: [[EmbeddedFile]] {
        [
            [
                runner_stream_queues_js(),
                runner_readable_stream_js(),
                runner_readable_bytes_js(),
                runner_stream_readers_js(),
                runner_stream_tee_js(),
                runner_writable_stream_js(),
                runner_stream_pipe_js(),
                runner_transform_stream_js(),
            ],
            [runner_blob_js(), runner_form_data_js()],
            [runner_idna_js()],
            [
                runner_crypto_encodings_js(),
                runner_crypto_algorithms_js(),
                runner_crypto_keys_js(),
                runner_crypto_subtle_js(),
            ],
            [runner_messaging_js()],
            [runner_performance_js()],
            [runner_event_stream_js(), runner_event_source_js()],
            [runner_event_stream_js(), runner_web_socket_js()],
            [
                runner_indexed_db_keys_js(),
                runner_indexed_db_values_js(),
                runner_indexed_db_trees_js(),
                runner_indexed_db_pages_js(),
                runner_indexed_db_transactions_js(),
                runner_indexed_db_interfaces_js(),
            ],
        ].map { $0.map(EmbeddedFile.init) }
    }
}

/// The SDK, the files of nervousnet apps, and the description of the API; see
/// `Sources/Provider/Resources`.
public enum ProviderFiles {
    /// The SDK.
    public static let nervousJS = EmbeddedFile(provider_nervous_js())
    /// The classes of the W3C Generic Sensor API, on top of the SDK.
    public static let genericSensorJS = EmbeddedFile(provider_generic_sensor_js())
    /// `navigator.geolocation`, `getBattery` and `permissions`, on top of the SDK.
    public static let navigatorJS = EmbeddedFile(provider_navigator_js())
    /// TypeScript declarations of the SDK.
    public static let nervousDTS = EmbeddedFile(provider_nervous_d_ts())
    /// The functions for test files of `nervous test`.
    public static let testJS = EmbeddedFile(provider_test_js())
    /// The `libs.js` of nervousnet apps, appended to jQuery.
    public static let libsJS = EmbeddedFile(provider_libs_js())
    /// The matrices of apps of the first generation.
    public static let numericJS = EmbeddedFile(provider_numeric_js())
    /// The style sheet of nervousnet apps.
    public static let stylesCSS = EmbeddedFile(provider_styles_css())
    /// The OpenAPI 3.1 description of the API.
    public static let openapiJSON = EmbeddedFile(provider_openapi_json())
}

/// The files of the owner's dashboard; see `Sources/Provider/Resources/dashboard`.
public enum DashboardFiles {
    /// Each file with its name in the folder.
    public static var all: [(name: String, content: EmbeddedFile)] {
        let folder = dashboard_files()
        return UnsafeBufferPointer(start: folder.files, count: folder.count).map {
            (String(cString: $0.name), EmbeddedFile($0.file))
        }
    }
}

/// The files of a new app; see `Sources/JSApps/Skeleton/Template`.
public enum AppTemplate {
    /// Each file with its name in the app's folder.
    public static var files: [(name: String, content: EmbeddedFile)] {
        [
            ("package.json", EmbeddedFile(template_package_json())),
            ("app.js", EmbeddedFile(template_app_js())),
            ("app.html", EmbeddedFile(template_app_html())),
            ("page.js", EmbeddedFile(template_page_js())),
            ("app.test.js", EmbeddedFile(template_app_test_js())),
            // The types, for editors; no file of the app loads them.
            ("nervous.d.ts", ProviderFiles.nervousDTS),
            ("nervous-test.d.ts", EmbeddedFile(template_test_d_ts())),
        ]
    }
}
