import Foundation

/// A value of a sample in JSON.
enum JSONScalar: Decodable {
    case number(Double)
    case text(String)

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    /// `nil` of a text.
    var number: Double? {
        if case .number(let number) = self { number } else { nil }
    }

    func text(unit: String?) -> String {
        switch self {
        case .number(let number): Format.value(number, unit: unit)
        case .text(let text): text
        }
    }
}
