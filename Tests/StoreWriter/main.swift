import Glibc

// A process for the tests of the sample store: one to kill, and one whose disk is full.

let arguments = CommandLine.arguments
do {
    switch (arguments.dropFirst().first, arguments.count) {
    case ("append", 3): try await Scenario.append(to: arguments[2])
    case ("fill", 3): try await Scenario.fill(folder: arguments[2])
    case ("purge", 3): try await Scenario.purge(path: arguments[2])
    case ("purge-full", 3): try await Scenario.purgeOnFullDisk(folder: arguments[2])
    default:
        Scenario.report(
            "usage: store-writer append FILE | fill FOLDER | purge FILE | purge-full FOLDER")
        exit(64)
    }
} catch {
    Scenario.report("error \(error)")
    exit(1)
}
