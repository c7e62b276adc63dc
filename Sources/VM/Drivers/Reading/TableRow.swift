/// The words of one line of a procfs table.
struct TableRow {
    let words: [Substring]
    private let file: SystemFile

    init(_ line: Substring, of file: SystemFile) {
        words = line.split { $0 == " " || $0 == "\t" }
        self.file = file
    }

    /// The word at `index` as a counter.
    ///
    /// - Throws: `malformed` unless it is there and in `0...Int64.max`.
    func counter(_ index: Int) throws(SensorError) -> Int64 {
        guard words.indices.contains(index), let count = Int64(words[index]), count >= 0 else {
            throw file.malformed("lacks a counter in column \(index + 1)")
        }
        return count
    }

    /// The word at `index` as a number.
    ///
    /// - Throws: `malformed` unless it is there, finite and not negative.
    func number(_ index: Int) throws(SensorError) -> Double {
        guard words.indices.contains(index), let number = Double(words[index]),
            number.isFinite, number >= 0
        else {
            throw file.malformed("lacks a number in column \(index + 1)")
        }
        return number
    }
}
