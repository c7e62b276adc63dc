import JSApps

/// The Content Security Policy of a file of an app.
///
/// Everything comes from the app's own origin. Published pages have scripts and styles in the page
/// itself: the scripts that were in it when it was installed may run, known by their hashes, and none
/// that gets into it later.
struct PagePolicy {
    private static let common =
        "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self';"
        + " frame-ancestors 'none'; object-src 'none'"

    let text: String

    /// The policy of what is no file of an app.
    static let plain = common

    init(_ app: InstalledApp, _ path: String) {
        guard app.generation.isPublished else {
            text = Self.common
            return
        }
        let hashes = app.index.inlineScripts?[path] ?? []
        let scripts = ["'self'"] + (hashes.isEmpty ? [] : ["'unsafe-hashes'"] + hashes)
        text =
            Self.common + "; script-src \(scripts.joined(separator: " "))"
            + "; style-src 'self' 'unsafe-inline'"
    }
}
