import Foundation
import TestSupport

/// The processes of this machine, from `/proc`.
enum ProcessTree {
    /// The children of `parent`, without zombies.
    static func children(of parent: Int32) -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }.filter { pid in
            guard let (state, other) = facts(of: pid) else { return false }
            return other == parent && state != "Z"
        }
    }

    static func isRunning(_ pid: Int32) -> Bool {
        facts(of: pid).map { $0.state != "Z" && $0.state != "X" } ?? false
    }

    /// Waits until none of them runs; they need not be children of the tests.
    static func waitForEnd(of pids: [Int32]) throws {
        try waitUntil(otherwise: { "\(pids.filter(isRunning))" }) {
            !pids.contains(where: isRunning)
        }
    }

    /// The address of a library in a process.
    static func address(of library: String, in pid: Int32) -> String? {
        // The file has no size, and is longer than one read.
        let file = FileHandle(forReadingAtPath: "/proc/\(pid)/maps")
        let maps = try? file?.readToEnd().map { String(decoding: $0, as: UTF8.self) }
        return maps?.split(separator: "\n").first { $0.contains(library) }
            .map { String($0.prefix { $0 != "-" }) }
    }

    private static func facts(of pid: Int32) -> (state: Character, parent: Int32)? {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[end...].split(separator: " ")
        guard fields.count > 2, let state = fields[1].first, let parent = Int32(fields[2]) else {
            return nil
        }
        return (state, parent)
    }
}
