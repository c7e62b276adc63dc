import Glibc

/// Why no app can be run, with the exit status that says so (sysexits).
struct LaunchError: Error {
    let message: String
    let status: Int32

    static var startedByHand: LaunchError {
        LaunchError(
            message: "this program is started by nervous, with its socket as descriptor 3; "
                + "use `nervous run APP`",
            status: 64)
    }

    static func missing(layer: String, code: Int32) -> LaunchError {
        LaunchError(
            message: "the kernel does not provide \(layer): \(String(cString: strerror(code)))",
            status: 69)
    }

    static func engine(_ message: String) -> LaunchError {
        LaunchError(message: "the JavaScript engine did not start: \(message)", status: 70)
    }

    static var hostIsGone: LaunchError {
        LaunchError(message: "the host is gone", status: 74)
    }

    static var notAnOrder: LaunchError {
        LaunchError(message: "the host sent what is no order", status: 76)
    }
}
