/// The options of the command line; the groups to run are its arguments.
struct Options {
    /// The number of samples that are stored before they are queried.
    private(set) var samples = 10_000_000
    /// The folder in which the samples are kept for the next run.
    private(set) var folder: String?
    /// How long an idle host is observed.
    private(set) var minutes = 5
    private(set) var groups: [String] = []

    init(_ arguments: some Sequence<String>) throws {
        var rest = Array(arguments)[...]
        while let word = rest.popFirst() {
            switch word {
            case "--samples":
                guard let count = rest.popFirst().flatMap(Int.init), count >= 100_000 else {
                    throw Programs.Failure(description: "--samples needs 100000 or more")
                }
                samples = count
            case "--minutes":
                guard let count = rest.popFirst().flatMap(Int.init), count > 0 else {
                    throw Programs.Failure(description: "--minutes needs 1 or more")
                }
                minutes = count
            case "--keep":
                guard let path = rest.popFirst() else {
                    throw Programs.Failure(description: "--keep needs a folder")
                }
                folder = path
            default: groups.append(word)
            }
        }
    }

    /// The number of samples as shown in names of figures.
    var size: String { "\(samples / 1_000_000) M" }
}
