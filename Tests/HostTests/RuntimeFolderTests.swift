import Foundation
import TestSupport
import Testing

@testable import Host

/// The folder of the control socket is used only if no other user can access it.
@Suite(.blocking)
struct RuntimeFolderTests {
    /// Runs `body` with the path of an empty folder, and removes it afterwards.
    private static func withFolder(_ body: (String) throws -> Void) throws {
        var template = Array("/tmp/runtime-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw POSIXError(.EIO) }
        let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    private static let user = geteuid()

    @Test func `the folder follows the environment`() {
        let given = RuntimeFolder(environment: ["XDG_RUNTIME_DIR": "/a"], logins: "/none")
        #expect(given.path == "/a/nervous")
        for environment in [[:], ["XDG_RUNTIME_DIR": ""], ["XDG_RUNTIME_DIR": "relative"]] {
            let folder = RuntimeFolder(environment: environment, logins: "/none")
            #expect(folder.path == "/tmp/nervous-\(Self.user)")
        }
    }

    @Test(arguments: [
        (mode_t(0o700), true), (0o755, false), (0o710, false), (0o701, false), (0o500, true),
    ])
    func `without XDG_RUNTIME_DIR the user's folder is used if no other user can access it`(
        mode: mode_t, isUsed: Bool
    ) throws {
        try Self.withFolder { root in
            let login = "\(root)/\(Self.user)"
            mkdir(login, 0o700)
            chmod(login, mode)
            let folder = RuntimeFolder(environment: [:], logins: root)
            #expect(folder.path == (isUsed ? "\(login)/nervous" : "/tmp/nervous-\(Self.user)"))
        }
    }

    @Test func `a link or a file in place of the user's folder is not used`() throws {
        try Self.withFolder { root in
            let login = "\(root)/\(Self.user)"
            mkdir("\(root)/target", 0o700)
            symlink("\(root)/target", login)
            #expect(
                RuntimeFolder(environment: [:], logins: root).path
                    == "/tmp/nervous-\(Self.user)")
            unlink(login)
            try Data().write(to: URL(filePath: login))
            #expect(
                RuntimeFolder(environment: [:], logins: root).path
                    == "/tmp/nervous-\(Self.user)")
        }
    }

    @Test func `the folder is created with mode 0700`() throws {
        try Self.withFolder { root in
            let folder = RuntimeFolder(environment: ["XDG_RUNTIME_DIR": root])
            #expect(try !folder.exists())
            try folder.prepare()
            #expect(try folder.exists())
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path)
            #expect(attributes[.posixPermissions] as? Int == 0o700)
            try folder.prepare()
        }
    }

    @Test(arguments: [mode_t(0o755), 0o770, 0o707, 0o777, 0o1777, 0o711, 0o704])
    func `a folder that others can enter is refused, by hosts and by commands`(
        mode: mode_t
    ) throws {
        try Self.withFolder { root in
            let folder = RuntimeFolder(environment: ["XDG_RUNTIME_DIR": root])
            mkdir(folder.path, 0o700)
            chmod(folder.path, mode)
            for use in [folder.prepare, { _ = try folder.exists() }] as [() throws -> Void] {
                let error = #expect(throws: CommandFailure.self, performing: use)
                #expect(error?.type == "unsafe-folder")
                #expect(error?.hint == "Make it private with: chmod 700 \(folder.path)")
            }
        }
    }

    @Test func `a link or a file in place of the folder is refused`() throws {
        try Self.withFolder { root in
            let folder = RuntimeFolder(environment: ["XDG_RUNTIME_DIR": root])
            mkdir("\(root)/target", 0o700)
            symlink("\(root)/target", folder.path)
            #expect(throws: CommandFailure.self) { try folder.prepare() }
            unlink(folder.path)
            try Data().write(to: URL(filePath: folder.path))
            #expect(throws: CommandFailure.self) { try folder.prepare() }
            #expect(throws: CommandFailure.self) {
                try HostSession.isListening("\(folder.path)/x.sock")
            }
        }
    }

    @Test(.enabled(if: geteuid() == 0, "needs root, to make a folder of another user"))
    func `a folder of another user is refused, whatever its mode`() throws {
        try Self.withFolder { root in
            let folder = RuntimeFolder(environment: ["XDG_RUNTIME_DIR": root])
            mkdir(folder.path, 0o700)
            for mode in [mode_t(0o700), 0o755, 0o777] {
                chmod(folder.path, mode)
                chown(folder.path, 65_534, 65_534)
                let error = #expect(throws: CommandFailure.self) { try folder.prepare() }
                #expect(error?.message.contains("belongs to another user (65534)") == true)
                #expect(error?.hint?.contains("XDG_RUNTIME_DIR") == true)
            }
        }
    }
}
