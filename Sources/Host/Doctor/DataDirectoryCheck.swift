import Foundation

/// The folder where everything is kept: whose it is, who may enter, who uses it, how much room is left.
struct DataDirectoryCheck: DoctorCheck {
    let name = "data"
    private static let little: UInt64 = 1 << 30
    private static let tooLittle: UInt64 = 64 << 20

    func findings(_ context: DoctorContext) async -> [Finding] {
        let path = context.paths.data
        var information = stat()
        guard lstat(path, &information) == 0 else {
            return [note("\(path) is not there yet; it is made when it is first used.")]
        }
        guard information.st_mode & S_IFMT == S_IFDIR else {
            return [broken("\(path) is not a folder.", fix: "Choose another with --data DIR.")]
        }
        var findings = [access(path, information, mode: 0o700, isFolder: true)]
        let paths = context.paths
        for file in [paths.permissions, paths.appStorage, paths.samples] {
            guard lstat(file, &information) == 0 else { continue }
            findings.append(access(file, information, mode: 0o600, isFolder: false))
        }
        findings = findings.filter { $0.state != .fine }
        if findings.isEmpty { findings = [fine("\(path) is yours alone")] }
        return findings + [room(path), lock(path)]
    }

    private func access(_ path: String, _ found: stat, mode: UInt32, isFolder: Bool) -> Finding {
        guard found.st_uid == geteuid() else {
            return broken(
                "\(path) belongs to user \(found.st_uid), and you are user \(geteuid()).",
                fix: "chown \(geteuid()) \(path.shellQuoted)")
        }
        guard found.st_mode & 0o077 == 0 else {
            let shown = String(found.st_mode & 0o7777, radix: 8)
            return broken(
                "Others on this machine can use \(path) (mode \(shown)).",
                fix: "chmod \(String(mode, radix: 8)) \(path.shellQuoted)")
        }
        guard found.st_mode & mode == mode else {
            return broken(
                "You cannot write to \(path).",
                fix: "chmod \(String(mode, radix: 8)) \(path.shellQuoted)")
        }
        return fine(path)
    }

    private func room(_ path: String) -> Finding {
        var facts = statvfs()
        guard statvfs(path, &facts) == 0 else {
            return note("How much room is left is not known: \(String(cString: strerror(errno))).")
        }
        let free = UInt64(facts.f_bavail) * UInt64(facts.f_frsize)
        let shown = "\(Format.bytes(Double(free))) are free"
        if facts.f_flag & UInt(ST_RDONLY) != 0 {
            return broken(
                "\(path) can only be read.", fix: "Choose another with --data DIR or NERVOUS_DATA.")
        }
        if free < Self.tooLittle {
            return broken("Only \(shown) at \(path).", fix: "Make room: df -h \(path.shellQuoted)")
        }
        return free < Self.little ? note("Only \(shown) at \(path).") : fine(shown)
    }

    /// Looks whether the process that wrote its number into the lock's file still has that file open:
    /// to try the lock would be to take it.
    private func lock(_ path: String) -> Finding {
        let file = "\(path)/host.lock"
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        var (lock, found) = (stat(), stat())
        guard let holder = Int32(text.prefix(while: \.isNumber)), stat(file, &lock) == 0,
            let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(holder)/fd")
        else { return fine("no host uses it") }
        let isHeld = open.contains { number in
            stat("/proc/\(holder)/fd/\(number)", &found) == 0 && found.st_ino == lock.st_ino
                && found.st_dev == lock.st_dev
        }
        return fine(isHeld ? "process \(holder) uses it" : "no host uses it")
    }
}
