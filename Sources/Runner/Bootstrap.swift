/// The script that gives a context what a browser would have.
///
/// It is the expression of a function: called with the primitives, it returns the function by which
/// the process calls in. Nothing of it is ever on the global object but what apps shall use.
enum Bootstrap {
    static let name = "nervous:bootstrap"

    /// All parts share one scope, in this order.
    ///
    /// Put together once, so that forked processes share it.
    static let source: String = {
        let parts = [
            PackageResources.primordials_js, PackageResources.errors_js,
            PackageResources.inspect_js, PackageResources.console_js,
            PackageResources.timers_js, PackageResources.events_js,
            PackageResources.encoding_js, PackageResources.crypto_js,
            PackageResources.clone_js, PackageResources.addresses_js,
            PackageResources.search_params_js, PackageResources.url_js,
            PackageResources.streams_js, PackageResources.headers_js,
            PackageResources.fetch_js, PackageResources.xhr_js, PackageResources.storage_js,
            PackageResources.window_js, PackageResources.libraries_js,
            PackageResources.modules_js, PackageResources.document_js,
            PackageResources.bootstrap_js,
        ]
        return "(function (host) { \"use strict\";\n"
            + parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n") + "})"
    }()
}
