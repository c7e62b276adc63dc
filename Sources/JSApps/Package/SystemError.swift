import Glibc

/// A call to the kernel that failed.
struct SystemError: Error, Sendable, CustomStringConvertible {
    let call: String
    let number: Int32

    /// Keeps what `errno` says now.
    static func last(_ call: String) -> SystemError { SystemError(call: call, number: errno) }

    var description: String { "\(call): \(reason)" }

    /// Whether the thing asked for is not there.
    var isMissing: Bool { number == ENOENT }
    /// Whether the name asked for is in use.
    var isTaken: Bool { number == EEXIST }

    var reason: String { String(cString: strerror(number)) }
}

extension JSAppsError {
    /// An `io` fault; `what` is a sentence without its end, such as “could not write ‘app.js’”.
    static func io(_ what: String, _ cause: SystemError) -> JSAppsError {
        JSAppsError(.io, "\(what): \(cause.reason).", cause: cause)
    }

    /// Does something with files; `what` begins the message where the machine refuses.
    static func wrap<Result: ~Copyable>(
        _ what: String, _ body: () throws(SystemError) -> Result
    ) throws(JSAppsError) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            throw .io(what, error)
        }
    }
}
