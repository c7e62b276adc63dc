import Samples

/// The share of time in which tasks wait for the processor, memory or input and output.
///
/// Source: `/proc/pressure/*`, Documentation/accounting/psi.rst.
struct PressureDriver: SensorDriver {
    private static let averages = ["avg10", "avg60", "avg300"]

    private let folder: SystemFolder

    init(roots: SystemRoots) {
        folder = SystemFolder("\(roots.proc)/pressure")
    }

    func discover() -> [DiscoveredSensor] {
        [
            resource("cpu", id: "pressure.cpu", title: "Waiting for the processor"),
            resource("memory", id: "pressure.memory", title: "Waiting for memory"),
            resource("io", id: "pressure.io", title: "Waiting for input and output"),
        ]
    }

    private func resource(_ name: String, id: SensorID, title: String) -> DiscoveredSensor {
        let file = folder.file(name)
        let averages = ["some", "full"].flatMap { kind in
            ["Avg10", "Avg60", "Avg300"].map { Field(kind + $0, unit: "%") }
        }
        let totals = ["someTotal", "fullTotal"].map { Field($0, unit: "us", kind: .integer) }
        let sensor = Sensor(id: id, title: title, fields: averages + totals, source: file.path)
        return .probed(
            sensor, Reader(file: file, fullIsOptional: name == "cpu"),
            remedy: "boot a kernel from 4.20 on with psi=1 on its command line")
    }

    private struct Reader: SampleReader {
        let file: SystemFile
        /// Kernels before 5.13 lack this line for the processor, and later ones report zero.
        let fullIsOptional: Bool

        mutating func read() throws(SensorError) -> [Value]? {
            let rows = try file.lines().map { TableRow($0, of: file) }
            let some = try figures(of: "some", in: rows)
            let full =
                if fullIsOptional && !rows.contains(where: { $0.words.first == "full" }) {
                    (averages: [Value](repeating: .number(0), count: 3), total: Value.integer(0))
                } else {
                    try figures(of: "full", in: rows)
                }
            return some.averages + full.averages + [some.total, full.total]
        }

        private func figures(
            of kind: String, in rows: [TableRow]
        ) throws(SensorError) -> (averages: [Value], total: Value) {
            guard let row = rows.first(where: { $0.words.first == kind[...] }) else {
                throw file.malformed("lacks the line \(kind)")
            }
            var averages: [Value] = []
            for name in PressureDriver.averages {
                guard let percent = word(name, in: row).flatMap(Double.init),
                    (0...100).contains(percent)
                else { throw file.malformed("lacks \(name) of \(kind)") }
                averages.append(.number(percent))
            }
            guard let total = word("total", in: row).flatMap({ Int64($0) }), total >= 0 else {
                throw file.malformed("lacks the total of \(kind)")
            }
            return (averages, .integer(total))
        }

        private func word(_ name: String, in row: TableRow) -> Substring? {
            row.words.first { $0.hasPrefix(name + "=") }?.dropFirst(name.count + 1)
        }
    }
}
