import Auth

/// How the files of a package lie.
struct PackageLayout {
    /// The name of the one folder that everything lies in.
    let folder: String
    /// The script and the page that were found: those of axons, or those of the others.
    let isAxon: Bool
    let hasManifest: Bool

    /// Checks that files lie in one folder and that a script and a page are among them.
    init(files: [SafePath], folders: [SafePath]) throws(JSAppsError) {
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
        let names = Set(files.filter { $0.components.count == 2 }.map { $0.components[1] })
        folder = first
        hasManifest = names.contains("package.json")
        isAxon =
            ["app.js", "app.html"].allSatisfy { !names.contains($0) }
            && ["axon.js", "axon.html"].contains(where: names.contains)
        let generation: PackageGeneration = isAxon ? .axon : .current
        for file in [generation.script, generation.page] where !names.contains(file) {
            throw .missing(file)
        }
    }
}

extension JSAppsError {
    static func missing(_ file: String) -> JSAppsError {
        JSAppsError(.missingFile, "The package has no ‘\(file)’ in its folder.")
    }
}
