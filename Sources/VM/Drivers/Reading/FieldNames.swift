/// Turns the labels of a device into field names, each different from the others.
struct FieldNames {
    private var taken: Set<String> = []

    /// `label` in camelCase; `fallback` when that is no name or is taken; then numbered.
    ///
    /// `Package id 0` becomes `packageId0`; `+3.3V` gives no name, since it starts with a digit.
    mutating func claim(label: String?, fallback: String) -> String {
        let label = label.flatMap(Self.camelCase)
        for candidate in [label, fallback] {
            if let candidate, taken.insert(candidate).inserted { return candidate }
        }
        var number = 2
        while !taken.insert("\(fallback)Number\(number)").inserted { number += 1 }
        return "\(fallback)Number\(number)"
    }

    private static func camelCase(_ label: String) -> String? {
        let words = label.prefix(48).split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
        guard let first = words.first, first.first?.isLetter == true else { return nil }
        let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }
        return first.lowercased() + rest.joined()
    }
}
