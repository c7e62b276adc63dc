import Glibc

// Writes to a sample store, so that tests can kill the process or run it on a full disk.

let arguments = CommandLine.arguments
do {
    switch (arguments.dropFirst().first, arguments.count) {
    case ("append", 3): try await Scenario.append(to: arguments[2], isSmall: false)
    case ("pack", 3): try await Scenario.append(to: arguments[2], isSmall: true)
    case ("pack", 4):
        let rounds = Int(arguments[3]) ?? 0
        try await Scenario.append(to: arguments[2], isSmall: true, rounds: rounds)
    case ("journal", 3): try await Scenario.appendToJournal(of: arguments[2])
    case ("journal", 4):
        try await Scenario.appendToJournal(of: arguments[2], rounds: Int(arguments[3]) ?? 0)
    case ("power-cut", 3): try await Scenario.appendForPowerCut(to: arguments[2])
    case ("open", 3): try await Scenario.open(arguments[2])
    case ("fill-packing", 3): try await Scenario.pack(folder: arguments[2])
    case ("fill-journal", 3): try await Scenario.fillBeforeRecovery(folder: arguments[2])
    case ("fill", 3): try await Scenario.fill(folder: arguments[2])
    case ("purge", 3): try await Scenario.purge(path: arguments[2])
    case ("purge-full", 3): try await Scenario.purgeOnFullDisk(folder: arguments[2])
    default:
        Scenario.report(
            """
            usage: store-writer append|pack|journal|power-cut|open|purge FILE
                   store-writer fill|fill-packing|fill-journal|purge-full FOLDER
            """)
        exit(64)
    }
} catch {
    Scenario.report("error \(error)")
    exit(1)
}
