/// Attributes of sysfs that were changed for a while.
struct AttributeChanges {
    private var before: [(file: SystemFile, text: String)] = []

    /// Writes an attribute where it holds something else.
    mutating func set(_ file: SystemFile, to text: String) throws(SensorError) {
        let old = try file.line()
        guard old != text else { return }
        try file.write(text)
        before.append((file, old))
    }

    /// Writes back what stood there, the last change first; what cannot be written stays.
    mutating func undo() {
        while let (file, text) = before.popLast() { try? file.write(text) }
    }
}
