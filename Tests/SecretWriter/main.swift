import Glibc
import Sealing

// Sets, replaces and removes secrets, changes the passphrase of the owner's key, and prints the number of each
// acknowledged round, until a test kills it. All values and passphrases contain "known-plaintext".

func report(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
}

func passphrase(_ number: Int) throws -> Passphrase {
    try Passphrase("known-plaintext passphrase \(number)")
}

let arguments = CommandLine.arguments
guard arguments.count == 3, let start = Int(arguments[2]) else {
    report("usage: secret-writer FOLDER NUMBER")
    exit(64)
}
do {
    let costs = Argon2idCosts(memory: 64, passes: 1, lanes: 1)
    let lock = OwnerLock(folder: arguments[1], costs: costs)
    if lock.status.state == .none { try await lock.setUp(passphrase(0), .init()) }
    let secrets = SecretStore(folder: arguments[1], lock: lock)
    guard let sealed = SecretName("sealed"), let kept = SecretName("kept"),
        let gone = SecretName("gone")
    else { exit(70) }
    report("open")
    for number in (start + 1)... {
        let value = "known-plaintext value \(number)"
        try secrets.set(value, sealed, of: .app("a"), keptBy: .owner)
        try secrets.set(value, kept, of: .source("b"), keptBy: .host)
        try secrets.set(value, gone, of: .app("a"), keptBy: number % 2 == 0 ? .owner : .host)
        try secrets.remove(gone, of: .app("a"))
        // The next host tries the new one, then the one before.
        try await lock.change(
            to: passphrase(number), provedBy: .passphrase(passphrase(number - 1)))
        report("\(number)")
    }
} catch {
    report("error \(error)")
    exit(1)
}
