import Glibc

/// Reads an app from a folder by the rules that hold for archives.
///
/// Entries whose name begins with a dot stay out: `.git`, `.env` and what editors leave are not
/// part of an app, and a package is published. No link is followed.
struct FolderReader: ~Copyable {
    private let root: Folder
    private let limits: PackageLimits
    private var paths = SafePathSet()
    private var count = 0
    /// The files in byte order of their names, named as in an archive: the app's folder first.
    private(set) var files: [SafePath] = []

    private init(root: consuming Folder, limits: PackageLimits) {
        self.root = root
        self.limits = limits
    }

    /// Lists a folder and checks everything that can be told without reading a file.
    static func open(_ path: String, limits: PackageLimits) throws(JSAppsError) -> FolderReader {
        guard let resolved = realpath(path, nil) else {
            throw JSAppsError(.inputMissing, "There is no such folder.")
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

    /// How everything lies in the folder, which has to be as it must.
    func layout() throws(JSAppsError) -> PackageLayout {
        try PackageLayout(files: files, folders: [])
    }

    /// Hands every file to `receive`.
    func read(
        receive: (SafePath, [UInt8]) throws(JSAppsError) -> Void
    ) throws(JSAppsError) {
        for path in files {
            guard let inner = path.withoutFirst else { continue }
            try receive(path, try content(of: inner, path))
        }
    }

    private func content(
        of inner: SafePath, _ path: SafePath
    ) throws(JSAppsError) -> [UInt8] {
        try JSAppsError.wrap("Could not read ‘\(path.shown)’") { () throws(SystemError) in
            let file = try root.file(inner.text)
            // What was listed may have been replaced by something else.
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
            guard count <= limits.entries else {
                throw JSAppsError(
                    .tooLarge, "The package has more than \(limits.entries) entries.")
            }
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
        try JSAppsError.wrap("Could not look at ‘\(path.shown)’") { () throws(SystemError) in
            try root.mode(of: String(decoding: inner, as: UTF8.self))
        }
    }
}
