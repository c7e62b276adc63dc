import Auth
import Backup
import Foundation
import Host
import Sessions
import Text
import VM

/// The data directory: its owner, permissions, lock and free space.
struct DataDirectoryCheck: DoctorCheck {
    let name = "data"
    private static let low: UInt64 = 1 << 30
    private static let tooLow: UInt64 = 64 << 20

    func findings(_ context: DoctorContext) async -> [Finding] {
        let path = context.paths.data
        guard let folder = FileFacts(path) else {
            return [note("\(path) does not exist yet; it is created on first use.")]
        }
        guard folder.isFolder else {
            return [broken("\(path) is not a folder.", fix: "Choose another with --data DIR.")]
        }
        var findings = [access(path, folder, mode: 0o700)]
        let paths = context.paths
        for file in [paths.permissions, paths.appStorage, paths.samples] {
            guard let facts = FileFacts(file) else { continue }
            findings.append(access(file, facts, mode: 0o600))
        }
        findings = findings.filter { $0.state != .fine }
        if findings.isEmpty { findings = [fine("\(path) is accessible only to you")] }
        return findings + [space(path), lock(path)]
    }

    private func access(_ path: String, _ found: FileFacts, mode: UInt32) -> Finding {
        guard found.owner == geteuid() else {
            return broken(
                "\(path) belongs to user \(found.owner), but you are user \(geteuid()).",
                fix: "chown \(geteuid()) \(path.shellQuoted)")
        }
        guard found.mode & 0o077 == 0 else {
            let shown = String(found.mode & 0o7777, radix: 8)
            return broken(
                "Other users can access \(path) (mode \(shown)).",
                fix: "chmod \(String(mode, radix: 8)) \(path.shellQuoted)")
        }
        guard found.mode & mode == mode else {
            return broken(
                "You cannot write to \(path).",
                fix: "chmod \(String(mode, radix: 8)) \(path.shellQuoted)")
        }
        return fine(path)
    }

    private func space(_ path: String) -> Finding {
        var facts = statvfs()
        guard statvfs(path, &facts) == 0 else {
            return note("The free space is unknown: \(String(cString: strerror(errno))).")
        }
        let free = UInt64(facts.f_bavail) * UInt64(facts.f_frsize)
        let shown = Format.bytes(Double(free))
        if facts.f_flag & UInt(ST_RDONLY) != 0 {
            return broken(
                "\(path) is read-only.", fix: "Choose another with --data DIR or NERVOUS_DATA.")
        }
        if free < Self.tooLow {
            return broken(
                "Only \(shown) is free at \(path).",
                fix: "Delete files on that disk; see: df -h \(path.shellQuoted)")
        }
        return free < Self.low ? note("Only \(shown) is free at \(path).") : fine("\(shown) free")
    }

    /// Checks whether the process in the lock file still has the file open, because trying the lock would
    /// take it.
    private func lock(_ path: String) -> Finding {
        let file = "\(path)/host.lock"
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        let files = FileManager.default
        guard let holder = Int32(text.prefix(while: \.isNumber)),
            let open = try? files.contentsOfDirectory(atPath: "/proc/\(holder)/fd")
        else { return fine("no host uses it") }
        let lock = URL(filePath: file).resolvingSymlinksInPath().path(percentEncoded: false)
        let isHeld = open.contains { number in
            (try? files.destinationOfSymbolicLink(atPath: "/proc/\(holder)/fd/\(number)")) == lock
        }
        return fine(isHeld ? "process \(holder) uses it" : "no host uses it")
    }
}

/// The type, owner and mode of a file; for a symbolic link, those of the link itself.
private struct FileFacts {
    let isFolder: Bool
    let owner: UInt32
    let mode: UInt32

    /// - Returns: `nil` if the file does not exist.
    init?(_ path: String) {
        guard let facts = try? FileManager.default.attributesOfItem(atPath: path) else {
            return nil
        }
        isFolder = facts[.type] as? FileAttributeType == .typeDirectory
        owner = (facts[.ownerAccountID] as? NSNumber)?.uint32Value ?? 0
        mode = (facts[.posixPermissions] as? NSNumber)?.uint32Value ?? 0
    }
}

/// The databases of samples, permissions, app storage and sessions.
struct DatabaseCheck: DoctorCheck {
    let name = "databases"

    /// The maximum number of faults to report.
    private static let shown = 3

    func findings(_ context: DoctorContext) async -> [Finding] {
        let (samples, permissions) = (context.paths.samples, context.paths.permissions)
        let (stored, sessions) = (context.paths.appStorage, context.paths.sessions)
        do {
            try DataFormats.current.check(context.paths.data)
        } catch {
            return [broken(error.message, fix: error.hint)]
        }
        return [
            await finding(samples) { try await VirtualMachine.faults(inFile: samples) },
            await finding(permissions) { try await Authority.faults(inFile: permissions) },
            await finding(stored) { try await Authority.faults(inFile: stored) },
            await finding(sessions) { try SessionBook.faults(inFile: sessions) },
        ]
    }

    private func finding(_ path: String, _ faults: () async throws -> [String]) async -> Finding {
        let file = (path as NSString).lastPathComponent
        guard access(path, F_OK) == 0 else {
            return note("\(file) does not exist yet; it is created on first use.")
        }
        do {
            let found = try await faults()
            guard !found.isEmpty else { return fine("\(file) is intact") }
            let first = found.prefix(Self.shown).map { $0.escapedForDisplay(limit: 200) }
            let more = found.count > Self.shown ? " And \(found.count - Self.shown) more." : ""
            return broken(
                "\(file) is damaged: \(first.joined(separator: " "))\(more)",
                fix: Self.remedy(path))
        } catch {
            let reason = CommandFailure(error).message.escapedForDisplay(limit: 300)
            return broken("\(file) cannot be checked: \(reason)", fix: Self.remedy(path))
        }
    }

    private static func remedy(_ path: String) -> String {
        "Stop the host, move the file away, and restore a backup: mv \(path.shellQuoted) "
            + "\(path).damaged".shellQuoted
    }
}

/// The access log: whether its hash chain is intact.
struct AccessLogCheck: DoctorCheck {
    let name = "access-log"

    func findings(_ context: DoctorContext) async -> [Finding] {
        guard access(context.paths.permissions, F_OK) == 0 else {
            return [note("No access log yet.")]
        }
        do throws(AuthError) {
            let report = try await AccessLogVerification(path: context.paths.permissions)
                .run { context.onStep($0, $1) }
            if let failure = report.failure {
                return [broken(failure.message, fix: "See: nervous log --verify")]
            }
            return [fine("\(report.lines) entries intact")]
        } catch {
            let reason = error.message.escapedForDisplay(limit: 300)
            return [broken(reason, fix: "See: nervous log --verify")]
        }
    }
}

/// The configuration and the policy.
struct ConfigurationCheck: DoctorCheck {
    let name = "config"

    func findings(_ context: DoctorContext) async -> [Finding] {
        let path = context.paths.configuration
        do {
            _ = try Configuration(path: path)
            _ = try Policy(files: context.paths.policies)
        } catch {
            return [broken(error.message, fix: error.hint)]
        }
        let exists = FileManager.default.fileExists(atPath: path)
        return [
            exists ? fine("\(path) is valid") : note("\(path) does not exist; defaults are used.")
        ]
    }
}
