import Foundation
import Glibc
import Host
import Synchronization

/// Watches a folder for changed files, with inotify(7).
///
/// Changes between two calls of ``changes()`` are reported by the next one. Names that begin with a
/// dot are ignored, as in packages.
final class FolderWatch: Sendable {
    /// The quiet time before changes are reported, because editors write files in several steps.
    private static let pause = Duration.milliseconds(100)
    private static let events = UInt32(
        IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)

    private struct State {
        /// The watched folders by watch descriptor, as paths relative to the root.
        var folders: [Int32: String] = [:]
        var changed: Set<String> = []
        var waiter: CheckedContinuation<Void, Never>?
        var isOver = false
    }

    private let root: String
    private let descriptor: Int32
    /// The write end of a pipe; closing it ends the reading thread.
    private let life: Int32
    private let state = Mutex(State())

    /// - Throws: `CommandFailure` if the limit of watches is reached.
    init(_ folder: String) throws {
        root = folder
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Self.refused() }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        life = ends[1]
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else {
            for end in ends { close(end) }
            throw Self.refused()
        }
        let (descriptor, death) = (descriptor, ends[0])
        Thread.detachNewThread { [weak self] in
            var entries = [descriptor, death].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            while poll(&entries, 2, -1) >= 0 || errno == EINTR {
                guard entries[1].revents == 0 else { break }
                if entries[0].revents != 0 { self?.take() }
            }
            close(descriptor)
            close(death)
        }
        guard watch("") else { throw Self.refused() }
    }

    deinit { close(life) }

    /// Waits for changes, and then until no further change follows for a moment.
    ///
    /// - Returns: the sorted paths; empty after cancellation or ``end()``.
    func changes() async -> [String] {
        while true {
            await withTaskCancellationHandler {
                await withCheckedContinuation { waiter in
                    let isDue = state.withLock { state in
                        guard state.changed.isEmpty, !state.isOver, !Task.isCancelled else {
                            return true
                        }
                        state.waiter = waiter
                        return false
                    }
                    if isDue { waiter.resume() }
                }
            } onCancel: {
                wake()
            }
            guard !state.withLock(\.isOver) else { return [] }
            var last = -1
            while !Task.isCancelled, last != state.withLock(\.changed.count) {
                last = state.withLock(\.changed.count)
                try? await Task.sleep(for: Self.pause)
            }
            guard !Task.isCancelled else { return [] }
            let found = state.withLock { state in
                defer { state.changed = [] }
                return state.changed.sorted()
            }
            if !found.isEmpty { return found }
        }
    }

    /// Ends the current and all later calls of ``changes()``.
    func end() {
        state.withLock { $0.isOver = true }
        wake()
    }

    // MARK: - Private

    private func wake() {
        state.withLock { state in
            defer { state.waiter = nil }
            return state.waiter
        }?.resume()
    }

    /// Watches a folder recursively.
    private func watch(_ folder: String) -> Bool {
        let path = folder.isEmpty ? root : "\(root)/\(folder)"
        let number = inotify_add_watch(descriptor, path, Self.events | UInt32(IN_ONLYDIR))
        guard number >= 0 else { return false }
        state.withLock { $0.folders[number] = folder }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
            var isFolder: ObjCBool = false
            guard !name.hasPrefix("."),
                FileManager.default.fileExists(atPath: "\(path)/\(name)", isDirectory: &isFolder),
                isFolder.boolValue
            else { continue }
            _ = watch(folder.isEmpty ? name : "\(folder)/\(name)")
        }
        return true
    }

    private func take() {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return }
        var offset = 0
        // struct inotify_event: the watch, a mask, a cookie, the length of the name and the name.
        while offset + 16 <= count {
            let (number, mask, length) = buffer.withUnsafeBytes { bytes in
                (
                    bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self),
                    bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self),
                    Int(bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
                )
            }
            let name = buffer[(offset + 16)..<min(count, offset + 16 + length)].prefix { $0 != 0 }
            offset += 16 + length
            let text = String(decoding: name, as: UTF8.self)
            guard !text.isEmpty, !text.hasPrefix("."),
                let folder = state.withLock({ $0.folders[number] })
            else { continue }
            let path = folder.isEmpty ? text : "\(folder)/\(text)"
            if mask & UInt32(IN_ISDIR) != 0, mask & UInt32(IN_CREATE | IN_MOVED_TO) != 0 {
                _ = watch(path)
            }
            state.withLock { _ = $0.changed.insert(path) }
        }
        wake()
    }

    private static func refused() -> CommandFailure {
        CommandFailure(
            .unavailable, "Cannot watch the folder: \(String(cString: strerror(errno))).",
            hint: "Raise fs.inotify.max_user_watches or max_user_instances.", type: "no-watch")
    }
}
