import Auth
import Crypto
import Foundation

/// What a page runs beside script files, as sources of a Content Security Policy.
///
/// That are the texts of its `<script>` elements without `src`, of its attributes such as `onclick`,
/// and of its `javascript:` addresses. What a script adds to the page later is not among them.
struct InlineScripts {
    /// The most of one page; what comes after them does not run.
    static let limit = 128

    /// Sources such as `'sha256-…'`, each once, in the order of the page.
    let hashes: [String]

    /// Reads a page as the HTML Standard has it tokenised, with scripts that may run.
    init(in page: [UInt8]) {
        var texts: [String] = []
        var reader = PageReader(page)
        while texts.count < Self.limit, let text = reader.nextScript() { texts.append(text) }
        var seen: Set<String> = []
        hashes = texts.map(Self.source).filter { seen.insert($0).inserted }
    }

    private static func source(of text: String) -> String {
        let digest = Data(SHA256.hash(data: Data(text.utf8)))
        return "'sha256-\(digest.base64EncodedString())'"
    }
}
