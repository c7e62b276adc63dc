import Auth
import Foundation
import Text

extension AppIndex {
    static let fileName = "index.json"
    /// As many files with names as long as limits can be set to stay below it.
    private static let largest = 32 << 20

    /// Describes an app that is about to be installed.
    ///
    /// - Parameter old: The index of the one that it takes the place of.
    init(
        _ package: CheckedPackage, _ succession: Succession, after old: AppIndex?,
        archiveSHA256: String?, installed: Date
    ) {
        let inherited = succession.reset == nil ? old : nil
        self.init(
            format: 1, name: package.manifest.name.text, version: package.manifest.version,
            signer: package.signer?.text,
            identity: inherited.map(\.identity) ?? Self.newIdentity(package.signer),
            updatedFrom: succession.kind == .update ? inherited?.version : inherited?.updatedFrom,
            installed: Date(
                timeIntervalSince1970: installed.timeIntervalSince1970.rounded(.down)),
            archiveSHA256: archiveSHA256,
            contentSHA256: package.contentSHA256,
            generation: package.generation.isPublished ? package.generation : nil,
            folder: package.generation.isPublished ? package.folder : nil,
            inlineScripts: package.generation.isPublished ? package.inlineScripts : nil,
            files: package.files)
    }

    /// An identity that nothing had before: who signs, and 128 random bits.
    private static func newIdentity(_ signer: SignerKey?) -> String {
        let random = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        return "\(signer?.fingerprint ?? "unsigned")/\(random.hexadecimal)"
    }

    /// Reads the index in an app's folder.
    static func read(in folder: String, name: AppName) throws(JSAppsError) -> AppIndex {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Folder.open(folder).file(fileName).read(atMost: largest)
        } catch {
            throw error.isMissing ? .notInstalled(name.text) : .damaged(name, cause: error)
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        do {
            let index = try decoder.decode(AppIndex.self, from: Data(bytes))
            guard index.format == 1 else { throw JSAppsError.damaged(name) }
            return index
        } catch {
            throw .damaged(name, cause: error)
        }
    }

    func encoded() throws(JSAppsError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(self))
        } catch {
            throw JSAppsError(.io, "The app's index could not be written.", cause: error)
        }
    }
}

extension JSAppsError {
    static func notInstalled(_ name: String) -> JSAppsError {
        JSAppsError(
            .notInstalled, "No app ‘\(name.escapedForDisplay(limit: 80))’ is installed.",
            hint: "‘nervous apps’ lists what is.")
    }
}
