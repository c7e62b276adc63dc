public import Foundation
import Glibc
import Resources

/// The folder of a new app, which runs on any machine.
///
/// It contains a manifest with one privilege and its reason, a script, a page and tests.
///
/// ```swift
/// guard let name = AppName("step-counter") else { throw UsageError() }
/// try AppSkeleton(name).make(in: URL(filePath: "."))
/// ```
public struct AppSkeleton: Sendable {
    /// The name of the app and of its folder.
    public let name: AppName

    /// The names of its files.
    public static var fileNames: [String] { AppTemplate.files.map(\.name) }

    /// Describes the folder without creating it.
    public init(_ name: AppName) {
        self.name = name
    }

    /// The name as a title: ‘Step counter’ for ‘step-counter’.
    public var title: String {
        let words = name.text.replacing("-", with: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    /// Creates the folder, completely or not at all.
    ///
    /// - Parameter parent: the folder to create it in; it must exist.
    /// - Throws: ``JSAppsError`` with code `inputMissing` if `parent` does not exist, `conflict` if
    ///   the name is taken, `io` if a system call fails.
    public func make(in parent: URL) throws(JSAppsError) {
        let folder: Folder
        do throws(SystemError) {
            folder = try Folder.open(parent.path(percentEncoded: false))
        } catch {
            guard !error.isMissing else {
                throw JSAppsError(
                    .inputMissing, "The folder for the new app does not exist.",
                    hint: "Create it, or omit --in.", cause: error)
            }
            throw .io("Could not open the folder for the new app", error)
        }
        // The complete folder is renamed into place if the name is free, so it is never seen
        // incomplete.
        let draft = ".\(name.text).new-\(getpid())"
        do throws(SystemError) {
            try folder.makeFolder(draft)
            try fill(try folder.folder(draft))
            try folder.rename(draft, to: name.text)
        } catch {
            try? folder.removeTree(draft)
            guard !error.isTaken else {
                throw JSAppsError(
                    .conflict, "‘\(name)’ already exists.",
                    hint: "Choose another name, or another folder with --in.", cause: error)
            }
            throw .io("Could not create the folder ‘\(name)’", error)
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
