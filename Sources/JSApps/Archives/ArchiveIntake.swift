import Archive

/// Checks the frames of an unpacker, which may be under an attacker's control.
///
/// Names are checked, and files and bytes counted as they arrive; frames out of the order of
/// ``UnpackerFrame``, or content that differs from its announcement, are rejected.
struct ArchiveIntake {
    /// What is complete once a frame has been received.
    enum Event {
        /// The list of names.
        case listed(files: [SafePath], folders: [SafePath])
        /// A file.
        case file(SafePath, [UInt8])
    }

    private struct Expected {
        let path: SafePath
        let size: Int
    }

    private let limits: PackageLimits
    private var paths = SafePathSet()
    private var count = 0
    private var size = 0
    private var files: [Expected] = []
    private var folders: [SafePath] = []
    private var isListed = false
    /// Files received completely.
    private var received = 0
    private var content: [UInt8] = []
    private(set) var isComplete = false

    init(limits: PackageLimits) {
        self.limits = limits
    }

    mutating func take(_ frame: UnpackerFrame) throws(JSAppsError) -> Event? {
        guard !isComplete else { throw .invalidUnpackerOutput() }
        switch frame {
        case .entry(let name, let isFolder, let size):
            try add(name, isFolder: isFolder, size: Int(size))
        case .listed:
            guard !isListed else { throw .invalidUnpackerOutput() }
            isListed = true
            return .listed(files: files.map(\.path), folders: folders)
        case .content(let bytes):
            let expected = try expected()
            guard !bytes.isEmpty, bytes.count <= expected.size - content.count else {
                throw .invalidUnpackerOutput()
            }
            content += bytes
        case .fileEnd:
            let expected = try expected()
            guard content.count == expected.size else { throw .invalidUnpackerOutput() }
            defer { content = [] }
            received += 1
            return .file(expected.path, content)
        case .done:
            guard isListed, received == files.count else { throw .invalidUnpackerOutput() }
            isComplete = true
        case .refused(let error):
            throw JSAppsError(error, limits: limits)
        case .unconfined(let layer, let code):
            guard count == 0, !isListed else { throw .invalidUnpackerOutput() }
            throw .unconfined(layer: layer, code: code)
        }
        return nil
    }

    /// The file that content belongs to.
    private func expected() throws(JSAppsError) -> Expected {
        guard isListed, received < files.count else { throw .invalidUnpackerOutput() }
        return files[received]
    }

    private mutating func add(
        _ name: [UInt8], isFolder: Bool, size: Int
    ) throws(JSAppsError) {
        guard !isListed, !isFolder || size == 0 else { throw .invalidUnpackerOutput() }
        count += 1
        guard count <= limits.entries else {
            throw JSAppsError(
                ArchiveError(.tooManyEntries, number: UInt32(clamping: count)), limits: limits)
        }
        let path = try SafePath(checking: name, limits: limits)
        guard size <= limits.fileBytes else { throw .tooLarge(path, limits) }
        self.size += size
        guard self.size <= limits.unpackedBytes else { throw .tooLargeUnpacked(limits) }
        if isFolder {
            try paths.insert(folder: path)
            folders.append(path)
        } else {
            try paths.insert(file: path)
            files.append(Expected(path: path, size: size))
        }
    }
}
