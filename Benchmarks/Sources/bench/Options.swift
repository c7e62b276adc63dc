/// What the command line says beside the groups that are wanted.
struct Options {
    /// Samples that are stored before questions are asked.
    private(set) var samples = 10_000_000
    /// Where they stay for the next run.
    private(set) var folder: String?
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
            case "--keep":
                guard let path = rest.popFirst() else {
                    throw Programs.Failure(description: "--keep needs a folder")
                }
                folder = path
            default: groups.append(word)
            }
        }
    }

    /// The number of samples as it stands in names of figures.
    var size: String { "\(samples / 1_000_000) M" }
}
