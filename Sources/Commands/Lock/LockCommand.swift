import API
import ArgumentParser
import Foundation
import Host
import Sealing
import Text

/// Locks the dashboard and the owner's key, and manages the key.
struct LockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock",
        abstract: "Lock the dashboard and the owner's key, or manage the key.",
        discussion: """
            Examples:
              nervous lock               lock now: the dashboard everywhere, and the key
              nervous lock setup         create the key, which seals secrets
              nervous lock status        show the state and the ways to unlock
              nervous lock passphrase    change the passphrase
              nervous unlock             unlock the key for two minutes

            Locking ends the sessions of the dashboard and makes unused links invalid;
            pages of apps stay open. Open it again with: nervous open
            """,
        subcommands: [
            Now.self, Setup.self, Status.self, PassphraseChange.self, Lease.self, Recover.self,
        ],
        defaultSubcommand: Now.self)

    struct Now: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "now", abstract: "Lock the dashboard in all browsers, and the key.")

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            let (count, wasUnlocked) = try await HostSession.with(options.host) { session in
                let client = session.client
                let count = try await client.dashboardSessions().value.items.count
                let state = try await client.lockState().value.state
                _ = try await client.lock()
                try await client.lockDashboard()
                return (count, state == "unlocked")
            }
            if options.json {
                try options.console.print(encoding: LockedReply(ended: count, key: wasUnlocked))
            } else {
                options.console.print(
                    count == 0
                        ? "The dashboard was not open."
                        : "Locked the dashboard: ended \(count) session\(count == 1 ? "" : "s").")
                if wasUnlocked { options.console.print("Locked the key.") }
            }
        }
    }

    private struct SetupReply: Encodable {
        let lock: LockDescription
        let recoveryKey: String
    }

    private struct LockedReply: Encodable {
        let ended: Int
        let key: Bool
    }

    struct Setup: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "setup",
            abstract: "Create the owner's key, which seals secrets.",
            discussion: """
                The passphrase has at least \(Passphrase.shortest) characters. If you forget it, nothing
                that was sealed can be opened, unless there is a recovery key.
                --recovery names a recipient of age that you have; --new-recovery-key prints
                a new one, once.

                Examples:
                  nervous lock setup --new-recovery-key > recovery-key.txt
                  nervous lock setup --recovery age1… --passphrase-file ~/passphrase
                """)

        @OptionGroup var options: GlobalOptions
        @OptionGroup var passphrase: PassphraseOptions

        @Option(
            help: ArgumentHelp(
                "A recipient of age, to whom the recovery file is encrypted.",
                valueName: "recipient"))
        var recovery: String?

        @Flag(help: "Print a new recovery key to keep elsewhere.")
        var newRecoveryKey = false

        @Flag(help: "Let the systemd credential nervous-owner-key unlock the key, too.")
        var credential = false

        func validate() throws {
            guard recovery == nil || !newRecoveryKey else {
                throw ValidationError("--recovery and --new-recovery-key exclude each other.")
            }
            if let recovery, AgeRecipient(recovery) == nil {
                throw ValidationError("--recovery takes a recipient of age, such as age1….")
            }
        }

        func run() async throws {
            let text = try await passphrase.new(from: passphrase.passphraseFile)
            let identity = newRecoveryKey ? try AgeIdentity() : nil
            let recipient = recovery ?? identity?.recipient.description
            try await HostSession.with(options.host) { session in
                let reply = try await session.client.setUpLock(
                    LockSetupRequest(
                        passphrase: text, recovery: recipient, credential: credential))
                let console = options.console
                if options.json, let identity {
                    try console.print(
                        encoding: SetupReply(lock: reply.value, recoveryKey: identity.text))
                } else if options.json {
                    console.print(json: reply.json)
                } else if let identity {
                    console.print(
                        "# Opens \(try reply.value.recoveryFile ?? OwnerKeyFile.recoveryName)")
                    console.print(identity.text)
                    console.say("Keep this recovery key away from this machine; it is not stored.")
                }
                guard !options.json else { return }
                console.say("Created the key \(try reply.value.fingerprint ?? "").")
                if recipient == nil {
                    console.say(
                        "warning: without a recovery key, a forgotten passphrase cannot be replaced."
                    )
                }
            }
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Show the state of the key.")

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let reply = try await session.client.lockState()
                guard !options.json else { return options.console.print(json: reply.json) }
                LockText.show(try reply.value, options.console)
            }
        }
    }

    struct PassphraseChange: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "passphrase", abstract: "Change the passphrase of the key.",
            discussion: "What was sealed is not changed. The key is unlocked afterwards.")

        @OptionGroup var options: GlobalOptions
        @OptionGroup var passphrase: PassphraseOptions

        @Option(
            help: ArgumentHelp(
                "A file whose only line is the new passphrase.", valueName: "path"),
            completion: .file())
        var newPassphraseFile: String?

        func run() async throws {
            let present = try await passphrase.present("Present passphrase: ")
            let next = try await passphrase.new(from: newPassphraseFile)
            try await LockText.change(
                UnlockRequest(passphrase: present, newPassphrase: next), options)
        }
    }

    struct Lease: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "lease",
            abstract: "Set how long the key stays unlocked, 2m by default.",
            discussion: "The key must be unlocked. Example: nervous lock lease 10m")

        @OptionGroup var options: GlobalOptions

        @Argument(help: "A duration from 10s to 24h.")
        var duration: String

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let reply = try await session.client.setLease(duration)
                guard !options.json else { return options.console.print(json: reply.json) }
                LockText.show(try reply.value, options.console)
            }
        }
    }

    struct Recover: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "recover",
            abstract: "Set a new passphrase with the recovery key.",
            discussion: """
                Examples:
                  nervous lock recover --identity recovery-key.txt
                  age --decrypt -i recovery-key.txt owner-key.age | nervous lock recover
                """)

        @OptionGroup var options: GlobalOptions

        @Option(
            help: ArgumentHelp(
                "The file with the recovery key; without it the decrypted recovery file is read from standard input.",
                valueName: "path"),
            completion: .file())
        var identity: String?

        @Option(
            help: ArgumentHelp(
                "The recovery file; by default that of the data directory.", valueName: "path"),
            completion: .file())
        var file: String?

        @Option(
            help: ArgumentHelp(
                "A file whose only line is the new passphrase.", valueName: "path"),
            completion: .file())
        var newPassphraseFile: String?

        func run() async throws {
            let line = try recovered()
            let next = try await PassphraseOptions().new(from: newPassphraseFile)
            try await LockText.change(
                UnlockRequest(recovered: line, newPassphrase: next), options)
        }

        private func recovered() throws -> String {
            guard let identity else { return try SecretInput.standardInput() }
            let path = file ?? "\(options.host.paths.data)/\(OwnerKeyFile.recoveryName)"
            let text = try String(contentsOfFile: identity, encoding: .utf8)
            let bytes = Array(try Data(contentsOf: URL(filePath: path)))
            do throws(SealingError) {
                let plain = try AgeFile.decrypt(bytes, with: AgeIdentity(file: text))
                return plain.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            } catch {
                throw CommandFailure(.badData, error.message, hint: error.hint)
            }
        }
    }
}

/// Unlocks the owner's key.
struct UnlockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock",
        abstract: "Unlock the owner's key in the running host.",
        discussion: """
            The key stays unlocked for two minutes, or as long as `nervous lock lease`
            says; `nervous lock` locks it before.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var passphrase: PassphraseOptions

    @Flag(help: "Use the systemd credential of the service instead of a passphrase.")
    var credential = false

    func validate() throws {
        guard !credential || passphrase.passphraseFile == nil else {
            throw ValidationError("--credential and --passphrase-file exclude each other.")
        }
    }

    func run() async throws {
        try await HostSession.with(options.host) { session in
            guard !session.isOwn else {
                throw CommandFailure(
                    .unavailable, "No host runs that could stay unlocked.",
                    hint: "Start one with: nervous serve", type: "not-serving")
            }
            let request =
                credential
                ? UnlockRequest(credential: true)
                : UnlockRequest(passphrase: try await passphrase.present())
            let reply = try await session.client.unlock(request)
            guard !options.json else { return options.console.print(json: reply.json) }
            LockText.show(try reply.value, options.console)
        }
    }
}

/// Prints the state of the owner's key.
enum LockText {
    static func show(_ state: LockDescription, _ console: Console) {
        switch state.state {
        case "unlocked":
            console.print("The key is unlocked for \(Int(state.left ?? 0)) s.")
        case "locked":
            console.print("The key is locked. Unlock it with: nervous unlock")
        default:
            console.print("There is no key. Create it with: nervous lock setup")
            return
        }
        console.print("key         \(state.fingerprint ?? "")")
        console.print("unlocked by \(state.methods.joined(separator: ", "))")
        console.print("lease       \(Int(state.lease ?? 0)) s")
        if let recovery = state.recovery, let file = state.recoveryFile {
            console.print("recovery    \(recovery), \(file.escapedForDisplay(limit: 400))")
        }
        if state.wrongAttempts > 0 {
            let wait = state.wait.map { "; the next one waits \(Int($0.rounded(.up))) s" } ?? ""
            console.print("wrong       \(state.wrongAttempts) passphrases\(wait)")
        }
    }

    /// Sets another passphrase.
    static func change(_ request: UnlockRequest, _ options: GlobalOptions) async throws {
        try await HostSession.with(options.host) { session in
            let reply = try await session.client.setPassphrase(request)
            guard !options.json else { return options.console.print(json: reply.json) }
            options.console.print("The passphrase was changed.")
        }
    }
}
