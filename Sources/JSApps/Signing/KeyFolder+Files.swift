import Auth
import CFiles
import Files
import Foundation
import Glibc
import Text

extension KeyFolder {
    static func checked(_ name: String) throws(JSAppsError) -> String {
        guard let checked = AppName(name) else {
            throw JSAppsError(
                .badKey, "A key's name is a word in kebab-case of up to 64 characters.",
                hint: "Use a–z and 0–9, words joined by ‘-’, such as ‘home-2026’.")
        }
        return checked.text
    }

    /// Opens the folder, and makes it where it is missing.
    func made() throws(JSAppsError) -> Folder {
        if let folder = try opened() { return folder }
        do throws(FilesError) {
            try PrivateFolder.make(data)
        } catch {
            throw JSAppsError(
                .io, "Could not make the data directory: \(error.reason).", cause: error)
        }
        try JSAppsError.wrap("Could not make the folder of the keys") { () throws(SystemError) in
            try Folder.make(data + "/" + Self.folderName, mode: 0o700)
        }
        guard let folder = try opened() else { throw .unsafeKeys("folder of the keys") }
        return folder
    }

    /// Opens the folder; `nil` where it is missing.
    func opened() throws(JSAppsError) -> Folder? {
        let folder: Folder
        do throws(SystemError) {
            folder = try Folder.open(data).folder(Self.folderName)
        } catch {
            guard !error.isMissing else { return nil }
            throw .io("Could not open the folder of the keys", error)
        }
        guard PrivateFile.isPrivate(folder.descriptor) else {
            throw .unsafeKeys("folder of the keys", remedy: "chmod 700")
        }
        return folder
    }

    static func signer(
        _ name: String, in folder: borrowing Folder
    ) throws(JSAppsError) -> SignerKey {
        guard let key = SignerKey(try read(name, name + ending, in: folder)) else {
            throw JSAppsError(
                .badKey, "What is kept of the key ‘\(name)’ is no public key.",
                hint: "Remove it with: nervous keys remove \(name)")
        }
        return key
    }

    /// The one line of a file that nobody else can open.
    static func read(
        _ name: String, _ path: String, in folder: borrowing Folder
    ) throws(JSAppsError) -> String {
        let bytes: [UInt8]
        let isSafe: Bool
        do throws(SystemError) {
            let file = try folder.file(path)
            let isRegular = try file.isRegular()
            isSafe = isRegular && PrivateFile.isPrivate(file.descriptor)
            bytes = isSafe ? try file.read(atMost: largest) : []
        } catch {
            throw error.isMissing ? missing(name) : .io("Could not read the key ‘\(name)’", error)
        }
        guard isSafe else { throw .unsafeKeys("file of the key ‘\(name)’", remedy: "chmod 600") }
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    /// Writes a new file in one step, so that no half of a key is ever there.
    static func write(
        _ text: String, to name: String, in folder: borrowing Folder
    ) throws(JSAppsError) {
        let draft = ".new-" + String(UInt64.random(in: .min ... .max), radix: 16)
        do throws(SystemError) {
            let file = try folder.newFile(draft)
            try file.write(Array((text + "\n").utf8))
            try file.sync()
            try folder.rename(draft, to: name)
            try folder.sync()
        } catch {
            unlinkat(folder.descriptor, draft, 0)
            throw error.isTaken ? taken : .io("Could not write the key", error)
        }
    }

    static var taken: JSAppsError {
        JSAppsError(
            .keyExists, "There is a key of that name already.",
            hint: "Choose another name; nervous keys list shows all.")
    }

    static func missing(_ name: String) -> JSAppsError {
        JSAppsError(
            .noSuchKey, "There is no key ‘\(name.escapedForDisplay(limit: 64))’.",
            hint: "List the keys with: nervous keys list")
    }
}

extension JSAppsError {
    fileprivate static func unsafeKeys(_ what: String, remedy: String? = nil) -> JSAppsError {
        JSAppsError(
            .unsafeKeys, "The \(what) belongs to somebody else, or others can open it.",
            hint: remedy.map { "Check who changed it; close it with: \($0)" })
    }
}
