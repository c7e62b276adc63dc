public import Foundation
import Glibc
import Resources

/// The folder of a new app that runs at once on any machine, and from which its author goes on.
///
/// It holds a manifest with one privilege and its reason, a script, a page and tests.
public struct AppSkeleton: Sendable {
    /// The app's name, which is also that of the folder.
    public let name: AppName

    /// The names of its files.
    public static var fileNames: [String] { AppTemplate.files.map(\.name) }

    public init(_ name: AppName) {
        self.name = name
    }

    /// The name as words, the first with a capital: ‘Step counter’ for ‘step-counter’.
    public var title: String {
        let words = name.text.replacing("-", with: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    /// Makes the folder, whole or not at all.
    ///
    /// - Parameter parent: The folder that it is made in; it must exist.
    /// - Throws: ``JSAppsError`` with code `inputMissing` where there is no such folder, `conflict`
    ///   where the name is taken in it, `io` where the machine refuses; nothing was made then.
    public func make(in parent: URL) throws(JSAppsError) {
        let folder: Folder
        do throws(SystemError) {
            folder = try Folder.open(parent.path(percentEncoded: false))
        } catch {
            guard !error.isMissing else {
                throw JSAppsError(
                    .inputMissing, "The folder for the new app is not there.",
                    hint: "Make it, or leave --in out.", cause: error)
            }
            throw .io("Could not open the folder for the new app", error)
        }
        // Others see it once it is whole: it gets its name last, and only where that is free.
        let draft = ".\(name.text).new-\(getpid())"
        do throws(SystemError) {
            try folder.makeFolder(draft)
            try fill(try folder.folder(draft))
            try folder.rename(draft, to: name.text)
        } catch {
            try? folder.removeTree(draft)
            guard !error.isTaken else {
                throw JSAppsError(
                    .conflict, "There is something named ‘\(name)’ already.",
                    hint: "Choose another name, or another folder with --in.", cause: error)
            }
            throw .io("Could not make the folder ‘\(name)’", error)
        }
    }

    private func fill(_ folder: borrowing Folder) throws(SystemError) {
        for (file, content) in AppTemplate.files {
            let text = content.text
                .replacing("APP-NAME", with: name.text).replacing("APP-TITLE", with: title)
            let open = try folder.newFile(file)
            try open.write(Array(text.utf8))
            try open.setMode(0o644)
        }
    }
}
