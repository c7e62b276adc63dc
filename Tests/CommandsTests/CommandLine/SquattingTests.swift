import Foundation
import Glibc
import TestSupport
import Testing

/// Other users of the machine who listen where commands, browsers and hosts would connect.
@Suite(.blocking) struct SquattingTests {
    /// Commands that send something to a host.
    private static let commands = [
        ["status"], ["token", "create", "backup", "--owner"],
        ["permissions", "deny", "app", "net"],
        ["apps"], ["log"], ["query", "cpu"],
    ]

    /// A program that listens at a path, and writes everything that it receives to a file.
    ///
    /// - Parameter user: the user that it runs as from then on.
    private static func listener(
        at path: String, writing file: String, as user: Int? = nil
    ) throws -> Program {
        let script = """
            import os, socket, sys
            path, file, user = sys.argv[1:4]
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(path)
            os.chmod(path, 0o777)
            received = open(file, "wb", buffering=0)
            if user:
                os.setgroups([]); os.setgid(int(user)); os.setuid(int(user))
            # From here on, the kernel reports this user as the owner of the socket.
            listener.listen()
            print("listening", flush=True)
            while True:
                connection, _ = listener.accept()
                while data := connection.recv(65536):
                    received.write(data)
            """
        let program = try Program(
            "/usr/bin/python3", ["-c", script, path, file, user.map(String.init) ?? ""],
            output: .pipe)
        let said = try program.read { $0.contains(0x0A) }
        guard said.contains(0x0A) else { throw Browser.Failure(description: "no listener") }
        return program
    }

    /// The path at which a command looks for the host of a sandbox.
    private static func socket(of sandbox: Sandbox) throws -> String {
        let host = try ServingHost(sandbox)
        let name = try FileManager.default.contentsOfDirectory(
            atPath: sandbox.path("run/nervous")
        ).first { $0.hasSuffix(".sock") }
        host.kill(SIGTERM)
        _ = try host.wait()
        let path = sandbox.path("run/nervous/\(try #require(name))")
        unlink(path)
        return path
    }

    private static func refuseAll(_ sandbox: Sandbox, _ text: String, _ file: String) throws {
        for words in commands + [["serve", "--port", "0"]] {
            let command = try sandbox.nervous(words)
            #expect(command.code == 77, "\(words): \(command.errors)")
            #expect(command.errors.contains(text), "\(words): \(command.errors)")
            #expect(command.errors.contains("hint: "), "\(words)")
            #expect(command.output.isEmpty, "\(words)")
        }
        #expect(try Data(contentsOf: URL(filePath: file)).isEmpty)
    }

    @Test func `nothing is sent to a socket in a folder that others can enter`() throws {
        let sandbox = try Sandbox()
        let path = try Self.socket(of: sandbox)
        let file = sandbox.path("received")
        let listener = try Self.listener(at: path, writing: file)
        chmod(sandbox.path("run/nervous"), 0o755)
        try Self.refuseAll(sandbox, "Other users can access", file)
        withExtendedLifetime(listener) {}
    }

    @Test(.enabled(if: geteuid() == 0, "needs root, to make a folder of another user"))
    func `nothing is sent to a socket in a folder of another user`() throws {
        let sandbox = try Sandbox()
        let path = try Self.socket(of: sandbox)
        let file = sandbox.path("received")
        let listener = try Self.listener(at: path, writing: file)
        chown(sandbox.path("run/nervous"), 65_534, 65_534)
        try Self.refuseAll(sandbox, "belongs to another user (65534)", file)
        withExtendedLifetime(listener) {}
    }

    @Test(.enabled(if: geteuid() == 0, "needs root, to listen as another user"))
    func `nothing is sent to a program of another user`() throws {
        let sandbox = try Sandbox()
        let path = try Self.socket(of: sandbox)
        let file = sandbox.path("received")
        let listener = try Self.listener(at: path, writing: file, as: 65_534)
        for words in Self.commands {
            let command = try sandbox.nervous(words)
            #expect(command.code == 77, "\(words): \(command.errors)")
            #expect(command.errors.contains("belongs to another user (65534)"), "\(words)")
        }
        #expect(try Data(contentsOf: URL(filePath: file)).isEmpty)
        withExtendedLifetime(listener) {}
    }

    @Test(
        .enabled(
            if: geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0,
            "needs root, to connect as another user"))
    func `a host answers no other user, even where they can reach its socket`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        let folder = sandbox.path("run/nervous")
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder).first {
                $0.hasSuffix(".sock")
            })
        // Opens what the modes of the folders would otherwise close.
        for path in [sandbox.root, sandbox.path("run"), folder] { chmod(path, 0o755) }
        chmod("\(folder)/\(name)", 0o777)
        func status(as user: Int) throws -> String {
            try Invocation(
                "/usr/bin/setpriv",
                [
                    "--reuid", "\(user)", "--regid", "\(user)", "--clear-groups", "/usr/bin/curl",
                    "-s", "--max-time", "60", "--unix-socket", "\(folder)/\(name)",
                    "http://localhost/api/v1/status",
                ], environment: sandbox.environment
            ).output
        }
        #expect(try status(as: 0).contains("version"))
        #expect(try status(as: 65_534).isEmpty)
        withExtendedLifetime(host) {}
    }

    // MARK: - TCP

    @Test func `a host does not start while another program listens on one of its addresses`()
        throws
    {
        for address in ["127.0.0.1", "::1", "::", "0.0.0.0"] {
            let sandbox = try Sandbox()
            let script = """
                import socket, sys
                family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
                listener = socket.socket(family)
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                try:
                    listener.bind((sys.argv[1], 0))
                except OSError:
                    print(0, flush=True)
                listener.listen()
                print(listener.getsockname()[1], flush=True)
                sys.stdin.read()
                """
            let other = try Program(
                "/usr/bin/python3", ["-c", script, address], input: .pipe, output: .pipe)
            let said = try other.read { $0.contains(0x0A) }
            let line = String(decoding: said, as: UTF8.self).split(separator: "\n").first ?? ""
            let port = try #require(Int(line))
            if port == 0 { continue }  // This machine has no such address.
            let serve = try sandbox.nervous("serve", "--port", "\(port)")
            #expect(serve.code == 69, "\(address)")
            let name = ["::1", "::"].contains(address) ? "" : " on 127.0.0.1"
            #expect(
                serve.errors.contains("error: Port \(port) is already in use\(name)"),
                "\(address): \(serve.errors)")
            #expect(serve.errors.split(separator: "\n").count == 2, "\(serve.errors)")
            withExtendedLifetime(other) {}
        }
    }

    @Test func `a host answers on both addresses`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        for address in ["127.0.0.1", "[::1]"] {
            let answer = try sandbox.curl(
                "--noproxy", "*", "-H", "Host: localhost:\(host.port)",
                "http://\(address):\(host.port)/health")
            let isMissing = address == "[::1]" && access("/proc/net/if_inet6", F_OK) != 0
            #expect(answer.status == (isMissing ? 0 : 200), "\(address)")
        }
        // No other host can listen on either of them.
        let other = try Sandbox()
        #expect(try other.nervous("serve", "--port", "\(host.port)").code == 69)
        withExtendedLifetime(host) {}
    }

    @Test func `commands work while all connections over TCP are taken`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox, descriptors: 96)
        let script = """
            import socket, sys
            held = []
            for _ in range(400):
                connection = socket.socket()
                connection.setblocking(False)
                connection.connect_ex(("127.0.0.1", int(sys.argv[1])))
                held.append(connection)
            print("connected", flush=True)
            sys.stdin.read()
            """
        let crowd = try Program(
            "/usr/bin/python3", ["-c", script, "\(host.port)"], input: .pipe, output: .pipe)
        _ = try crowd.read { $0.contains(0x0A) }
        for _ in 0..<5 { #expect(try sandbox.nervous("status").code == 0) }
        crowd.end()
        let answer = try sandbox.curl("--noproxy", "*", host.url("/health"))
        #expect(answer.status == 200)
        withExtendedLifetime(host) {}
    }
}
