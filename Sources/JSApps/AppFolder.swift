public import Foundation
import Glibc

/// The files of an app, read from a folder and checked by the rules of an installation.
///
/// An app is read and checked once and can then be installed without a ZIP archive in between:
///
/// ```swift
/// let folder = try AppFolder(reading: URL(filePath: "step-counter"))
/// let installation = try await library.install(folder, with: InstallOptions())
/// ```
///
/// A process that has no library sends ``files`` to the host, which checks them with
/// ``init(named:files:limits:)``, because it cannot trust checks made elsewhere.
public struct AppFolder: Sendable {
    /// The app, as its files describe it.
    public let package: CheckedPackage
    /// Paths inside the app's folder, in the order of their names, with their content.
    let contents: [(path: SafePath, bytes: [UInt8])]
    /// The limits that the files have been checked against.
    let limits: PackageLimits

    /// The name of the folder.
    public var name: String { package.folder }

    /// The paths inside the app's folder, such as `images/icon.png`, with the files' contents.
    public var files: [(path: String, bytes: [UInt8])] {
        contents.map { ($0.path.text, $0.bytes) }
    }

    /// Reads a folder.
    ///
    /// Blocks while it reads. Entries whose name begins with a dot, such as `.git` and `.env`, are
    /// not part of an app and are skipped. Links are rejected.
    ///
    /// - Throws: ``JSAppsError``, with the codes of an installation.
    public init(
        reading folder: URL, limits: PackageLimits = PackageLimits()
    ) throws(JSAppsError) {
        let reader = try FolderReader.open(folder.path(percentEncoded: false), limits: limits)
        var intake = PackageIntake(limits: limits)
        // Missing files are reported before any file is read.
        let layout = try PackageLayout(files: reader.files, folders: [])
        var contents: [(path: SafePath, bytes: [UInt8])] = []
        try reader.read { path, bytes throws(JSAppsError) in
            try intake.add(path, bytes)
            contents.append((path, bytes))
        }
        self.init(try intake.finish(layout), contents, limits)
    }

    /// Checks files that another process has read.
    ///
    /// - Parameters:
    ///   - name: the name of the app's folder.
    ///   - files: the paths inside that folder, with their content.
    /// - Throws: ``JSAppsError``, with the codes of an installation.
    public init(
        named name: String, files: [(path: String, bytes: [UInt8])],
        limits: PackageLimits = PackageLimits()
    ) throws(JSAppsError) {
        guard files.count <= limits.entries else { throw .tooManyEntries(limits) }
        var paths = SafePathSet()
        var outer: [SafePath] = []
        for file in files {
            let path = try SafePath(checking: Array("\(name)/\(file.path)".utf8), limits: limits)
            try paths.insert(file: path)
            outer.append(path)
        }
        let layout = try PackageLayout(files: outer, folders: [])
        guard layout.folder == name else {
            throw JSAppsError(.wrongFolderName, "The name of the app's folder contains a ‘/’.")
        }
        var intake = PackageIntake(limits: limits)
        var contents: [(path: SafePath, bytes: [UInt8])] = []
        for (path, file) in zip(outer, files) {
            guard let inner = path.withoutFirst else { continue }
            try intake.add(inner, file.bytes)
            contents.append((inner, file.bytes))
        }
        self.init(try intake.finish(layout), contents, limits)
    }

    private init(
        _ package: CheckedPackage, _ contents: [(path: SafePath, bytes: [UInt8])],
        _ limits: PackageLimits
    ) {
        self.package = package
        self.contents = contents
        self.limits = limits
    }
}

/// Lists and reads an app's folder by the rules for archives, following no link.
struct FolderReader: ~Copyable {
    private let root: Folder
    private let limits: PackageLimits
    private var paths = SafePathSet()
    private var count = 0
    /// The files in byte order of their names, named as in an archive: beneath the app's folder.
    private(set) var files: [SafePath] = []

    private init(root: consuming Folder, limits: PackageLimits) {
        self.root = root
        self.limits = limits
    }

    /// Lists a folder and makes the checks that need no file's content.
    static func open(_ path: String, limits: PackageLimits) throws(JSAppsError) -> FolderReader {
        guard let resolved = realpath(path, nil) else {
            throw JSAppsError(.inputMissing, "The folder does not exist.")
        }
        defer { free(resolved) }
        let real = String(cString: resolved)
        let name = real.utf8.split(separator: UInt8(ascii: "/")).last.map { Array($0) } ?? []
        let root = try JSAppsError.wrap("Could not open the app's folder") {
            () throws(SystemError) in try Folder.open(real)
        }
        var reader = FolderReader(root: root, limits: limits)
        try reader.list([], name)
        return reader
    }

    /// Reads every file; `receive` takes its path inside the folder and its content.
    func read(
        receive: (SafePath, [UInt8]) throws(JSAppsError) -> Void
    ) throws(JSAppsError) {
        for path in files {
            guard let inner = path.withoutFirst else { continue }
            try receive(inner, try content(of: inner, path))
        }
    }

    private func content(
        of inner: SafePath, _ path: SafePath
    ) throws(JSAppsError) -> [UInt8] {
        try JSAppsError.wrap("Could not read ‘\(path.shown)’") { () throws(SystemError) in
            let file = try root.file(inner.text)
            // The file may have been replaced since it was listed.
            guard try file.isRegular() else { throw SystemError(call: "open", number: ELOOP) }
            return try file.read(atMost: limits.fileBytes)
        }
    }

    private mutating func list(
        _ inner: [UInt8], _ outer: [UInt8]
    ) throws(JSAppsError) {
        let slash = UInt8(ascii: "/")
        for name in try names(in: inner) where name.first != UInt8(ascii: ".") {
            count += 1
            guard count <= limits.entries else { throw .tooManyEntries(limits) }
            let path = try SafePath(checking: outer + [slash] + name, limits: limits)
            let innerPath = inner.isEmpty ? name : inner + [slash] + name
            let mode = try mode(of: innerPath, path)
            guard mode.isRegularFile || mode.isFolder else { throw .unsafeKind(path) }
            guard !mode.isSpecial else { throw .unsafeMode(path) }
            if mode.isFolder {
                try paths.insert(folder: path)
                try list(innerPath, outer + [slash] + name)
            } else {
                try paths.insert(file: path)
                files.append(path)
            }
        }
    }

    private func names(in inner: [UInt8]) throws(JSAppsError) -> [[UInt8]] {
        try JSAppsError.wrap("Could not list the app's folder") { () throws(SystemError) in
            if inner.isEmpty { return try root.names(atMost: limits.entries) }
            return try root.folder(String(decoding: inner, as: UTF8.self))
                .names(atMost: limits.entries)
        }
    }

    private func mode(of inner: [UInt8], _ path: SafePath) throws(JSAppsError) -> mode_t {
        try JSAppsError.wrap("Could not inspect ‘\(path.shown)’") { () throws(SystemError) in
            try root.mode(of: String(decoding: inner, as: UTF8.self))
        }
    }
}
