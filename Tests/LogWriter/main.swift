import Auth
import Glibc

// Writes lines of the access log for ever, and prints the number of each that was acknowledged, for a
// test to kill.

func report(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
}

guard CommandLine.arguments.count == 2 else {
    report("usage: log-writer FILE")
    exit(64)
}
do {
    let authority = try await Authority(path: CommandLine.arguments[1])
    report("open")
    while true {
        await authority.log.note(.installed("app", version: "1.0.0"))
        report("\(try await authority.log.head().id)")
    }
} catch {
    report("error \(error)")
    exit(1)
}
