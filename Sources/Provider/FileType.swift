/// The media type that a file of an app is served with, by the ending of its name.
enum FileType: String {
    case html = "text/html; charset=utf-8"
    case javascript = "text/javascript; charset=utf-8"
    case css = "text/css; charset=utf-8"
    case json = "application/json"
    case text = "text/plain; charset=utf-8"
    case svg = "image/svg+xml"
    case png = "image/png"
    case jpeg = "image/jpeg"
    case gif = "image/gif"
    case webp = "image/webp"
    case icon = "image/x-icon"
    case woff2 = "font/woff2"
    case bytes = "application/octet-stream"

    private static let endings: [String: FileType] = [
        "html": .html, "htm": .html, "js": .javascript, "mjs": .javascript, "css": .css,
        "json": .json, "txt": .text, "md": .text, "svg": .svg, "png": .png, "jpg": .jpeg,
        "jpeg": .jpeg, "gif": .gif, "webp": .webp, "ico": .icon, "woff2": .woff2,
    ]

    init(ending: String) {
        self = Self.endings[ending.lowercased()] ?? .bytes
    }
}
