import Files
import Foundation
import Glibc

/// Counts wrong passphrases, and makes later attempts wait, also after the host was started again.
///
/// An attempt is counted before it is made, so that ending the host does not save it from being counted.
struct PassphraseAttempts: Sendable {
    static let name = "owner-key-attempts.json"
    /// How many wrong passphrases in a row are refused without a wait.
    private static let free = 5
    private static let (shortest, longest) = (Duration.seconds(30), Duration.seconds(3600))

    private struct Content: Codable {
        var version = 1
        /// The attempts since the last correct passphrase.
        var count = 0
        /// When the last one was made, in microseconds since 1970.
        var last: Int64 = 0
    }

    private let path: String
    private var content: Content

    init(in folder: String) {
        path = "\(folder)/\(Self.name)"
        let data = FileManager.default.contents(atPath: path)
        content = data.flatMap { try? JSONDecoder().decode(Content.self, from: $0) } ?? Content()
        content.count = max(0, content.count)
    }

    /// The wrong passphrases since the last correct one.
    var count: Int { content.count }

    /// How long the next attempt must wait; `nil` if it need not.
    ///
    /// The fifth wrong passphrase makes it wait 30 s, and each further one twice as long, up to an hour. A
    /// clock that was set back lengthens no wait.
    ///
    /// - Parameter now: microseconds since 1970.
    func wait(at now: Int64) -> Duration? {
        guard content.count >= Self.free else { return nil }
        let wait = min(
            Self.shortest * (1 << min(content.count - Self.free, 16)), Self.longest)
        let passed = Duration.microseconds(max(0, now - content.last))
        return passed < wait ? wait - passed : nil
    }

    /// Counts an attempt that is about to be made.
    ///
    /// - Throws: `storeFailed` or `diskFull`; it must then not be made.
    mutating func begin(at now: Int64) throws(SealingError) {
        content.count += 1
        content.last = now
        try write()
    }

    /// Forgets all attempts after a correct passphrase.
    mutating func succeed() {
        content = Content()
        unlink(path)
    }

    private func write() throws(SealingError) {
        do {
            try DurableFile.replace(
                path, with: Array((try? JSONEncoder().encode(content)) ?? Data()))
        } catch {
            throw SealingError(error)
        }
    }
}
