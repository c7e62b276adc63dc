package import API
import Auth
import Foundation
import Text

/// The data directory: its owner, permissions, lock and free space.
package struct DataDirectoryCheck: DoctorCheck {
    package let name = "data"
    private static let low: UInt64 = 1 << 30
    private static let tooLow: UInt64 = 64 << 20

    package init() {}

    package func findings(_ context: DoctorContext) async -> [Finding] {
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
        let shown = Double(free).byteCountText
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

/// The configuration and the policy.
package struct ConfigurationCheck: DoctorCheck {
    package let name = "config"

    package init() {}

    package func findings(_ context: DoctorContext) async -> [Finding] {
        let path = context.paths.configuration
        let configuration: Configuration
        do {
            configuration = try Configuration(path: path)
            _ = try Policy(files: context.paths.policies)
        } catch {
            return [broken(error.message, fix: error.hint)]
        }
        let exists = FileManager.default.fileExists(atPath: path)
        return [
            exists ? fine("\(path) is valid") : note("\(path) does not exist; defaults are used.")
        ] + (await broker(configuration.policyBroker))
    }

    private func broker(_ section: PolicyBrokerSection?) async -> [Finding] {
        guard let section else { return [] }
        guard let fault = await SocketPolicyBroker.fault(ofListenerAt: section.socket) else {
            return [fine("the policy broker listens at \(section.socket)")]
        }
        return [
            broken(
                "policyBroker: \(fault.message)",
                fix:
                    "Start your policy broker; until then you are asked. See docs/policy-broker.md."
            )
        ]
    }
}
