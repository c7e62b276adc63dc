/// Parameters that are taken one by one, so that one that nobody knows is found.
struct AnalysisParameters {
    private let analysis: String
    private var rest: [String: AnalysisParameter]

    init(_ parameters: [String: AnalysisParameter], of analysis: String) {
        self.analysis = analysis
        rest = parameters
    }

    mutating func integer(_ name: String, in range: ClosedRange<Int>) throws(LAEError) -> Int? {
        guard let value = rest.removeValue(forKey: name) else { return nil }
        guard case .number(let number) = value, let integer = Int(exactly: number),
            range.contains(integer)
        else {
            throw fault(
                name, "a whole number from \(range.lowerBound) to \(range.upperBound) is needed")
        }
        return integer
    }

    mutating func number(_ name: String, above limit: Double? = nil) throws(LAEError) -> Double? {
        guard let value = rest.removeValue(forKey: name) else { return nil }
        guard case .number(let number) = value, number.isFinite, number > limit ?? -.infinity else {
            throw fault(name, "a number\(limit.map { " above \($0)" } ?? "") is needed")
        }
        return number
    }

    mutating func flag(_ name: String) throws(LAEError) -> Bool? {
        guard let value = rest.removeValue(forKey: name) else { return nil }
        guard case .flag(let flag) = value else { throw fault(name, "true or false is needed") }
        return flag
    }

    mutating func choice<T: RawRepresentable & CaseIterable>(
        _ name: String, _ type: T.Type
    ) throws(LAEError) -> T? where T.RawValue == String {
        guard let value = rest.removeValue(forKey: name) else { return nil }
        guard case .text(let text) = value, let choice = T(rawValue: text) else {
            let names = T.allCases.map(\.rawValue).joined(separator: ", ")
            throw fault(name, "one of \(names) is needed")
        }
        return choice
    }

    /// - Throws: `invalidAnalysis` when a parameter is missing.
    func required<T>(_ value: T?, _ name: String) throws(LAEError) -> T {
        guard let value else { throw fault(name, "it is needed") }
        return value
    }

    /// - Throws: `invalidAnalysis` when parameters are left that the analysis does not know.
    func finish() throws(LAEError) {
        guard let name = rest.keys.min() else { return }
        throw fault(String(name.prefix(40)), "\(analysis) has no such parameter")
    }

    func fault(_ name: String, _ message: String) -> LAEError {
        LAEError(.invalidAnalysis, "parameters: \(name.debugDescription): \(message).")
    }
}
