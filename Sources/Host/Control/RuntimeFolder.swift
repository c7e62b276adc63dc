import Files
import Foundation
import Glibc

/// The folder of the control sockets, which only this user can enter.
///
/// Without `XDG_RUNTIME_DIR` its name can be predicted, and in `/tmp` any user can create it first.
/// Commands and hosts therefore check its owner and mode before they use a socket in it.
struct RuntimeFolder: Sendable {
    private static let hint =
        "Set XDG_RUNTIME_DIR to a folder that you own with mode 0700, for nervous serve and in this"
        + " terminal."

    let path: String

    init(of socket: String) {
        path = (socket as NSString).deletingLastPathComponent
    }

    /// - Parameters:
    ///   - environment: of the process.
    ///   - logins: where systemd creates a folder for each user who is logged in.
    init(environment: [String: String], logins: String = "/run/user") {
        let user = geteuid()
        if let given = environment["XDG_RUNTIME_DIR"], given.hasPrefix("/") {
            path = "\(given)/nervous"
        } else if PrivateFolder.fault(of: "\(logins)/\(user)") == nil {
            // Programs started by cron, su or ssh may lack the variable that the host has.
            path = "\(logins)/\(user)/nervous"
        } else {
            path = "/tmp/nervous-\(user)"
        }
    }

    /// Creates the folder if it is missing, and checks it.
    func prepare() throws(CommandFailure) {
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw CommandFailure(
                .cannotCreate, "Cannot create \(path): \(String(cString: strerror(errno))).",
                hint: "Set XDG_RUNTIME_DIR to a folder that you own.")
        }
        guard try exists() else {
            throw CommandFailure(.cannotCreate, "\(path) was removed.", hint: Self.hint)
        }
    }

    /// Whether the folder exists.
    ///
    /// - Throws: `CommandFailure` if another user could have put a socket into it.
    func exists() throws(CommandFailure) -> Bool {
        guard let fault = PrivateFolder.fault(of: path) else { return true }
        switch fault {
        case .missing: return false
        case .unreadable(let reason):
            throw Self.failure("\(path) cannot be examined: \(String(cString: strerror(reason))).")
        case .notAFolder:
            throw Self.failure("\(path), which should contain the control socket, is not a folder.")
        case .foreign(let user):
            throw Self.failure(
                "\(path), the folder of the control socket, belongs to another user (\(user)).")
        case .open:
            throw Self.failure(
                "Other users can access \(path), the folder of the control socket.",
                hint: "Make it private with: chmod 700 \(path)")
        }
    }

    private static func failure(_ message: String, hint: String = hint) -> CommandFailure {
        CommandFailure(.noPermission, message, hint: hint, type: "unsafe-folder")
    }

    /// The failure of a connection to a program of another user.
    static func foreign(peer user: UInt32, at socket: String) -> CommandFailure {
        failure("The program that listens at \(socket) belongs to another user (\(user)).")
    }
}
