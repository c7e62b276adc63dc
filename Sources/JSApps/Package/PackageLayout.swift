import Auth

/// How the files of a package have to lie.
enum PackageLayout {
    /// The files that every app has.
    static let required = ["package.json", "app.js", "app.html"]

    /// Checks that files lie in one folder with a name in kebab-case and that none is missing.
    ///
    /// - Returns: The name of the folder.
    static func check(
        files: [SafePath], folders: [SafePath]
    ) throws(JSAppsError) -> AppName {
        guard let first = files.first?.components.first else {
            throw JSAppsError(.missingFile, "The package has no files.")
        }
        let tops = Set((files + folders).compactMap(\.components.first))
        if tops.contains("__MACOSX") {
            throw JSAppsError(
                .wrongFolderName, "The package has a second folder, ‘__MACOSX’, beside the app's.",
                hint: "The Finder of macOS adds it; pack with ‘nervous pack’ or ‘zip -r -X’.")
        }
        if let stray = files.first(where: { $0.components.count == 1 }) {
            throw JSAppsError(
                .wrongFolderName, "‘\(stray.shown)’ lies outside the app's folder.",
                hint: "Put all files into one folder named like the app, and pack that folder.")
        }
        guard tops.count == 1 else {
            throw JSAppsError(
                .wrongFolderName, "The package has \(tops.count) folders; it has to be one.")
        }
        guard let name = AppName(first) else {
            throw JSAppsError(
                .wrongFolderName,
                "The app's folder ‘\(first.escapedForDisplay(limit: 80))’ is not kebab-case.",
                hint: "Use up to 64 of a–z and 0–9, words joined by ‘-’, such as ‘step-counter’.")
        }
        for file in required
        where !files.contains(where: { $0.components.count == 2 && $0.components[1] == file }) {
            throw JSAppsError(.missingFile, "The package has no ‘\(file)’ in its folder.")
        }
        return name
    }
}
