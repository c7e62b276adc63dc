import Foundation
import Samples

/// The fields that a stored sample has, in order; a sensor whose fields change gets a new layout.
struct Layout: Hashable, Sendable {
    let id: Int64
    let fields: [Field]

    init(id: Int64, fields: [Field]) {
        self.id = id
        self.fields = fields
    }

    /// Reads the fields as `encode(_:)` writes them.
    init(id: Int64, encoded: String) throws(SampleStoreError) {
        let columns = try? JSONDecoder().decode([[String]].self, from: Data(encoded.utf8))
        var fields: [Field] = []
        for column in columns ?? [["unreadable"]] {
            guard column.count == 3, let kind = Field.Kind(rawValue: column[1]) else {
                throw SampleStoreError(.damaged, "The fields of layout \(id) are damaged.")
            }
            fields.append(Field(column[0], unit: column[2].isEmpty ? nil : column[2], kind: kind))
        }
        self.init(id: id, fields: fields)
    }

    static func encode(_ fields: [Field]) throws -> String {
        let columns = fields.map { [$0.name, $0.kind.rawValue, $0.unit ?? ""] }
        return String(decoding: try JSONEncoder().encode(columns), as: UTF8.self)
    }

    /// How samples of this layout are read as samples with `fields`.
    ///
    /// - Returns: `nil` when a field is missing here, has another unit, or has a kind whose values
    ///   do not all fit.
    func projection(to fields: [Field]) -> Projection? {
        var columns: [Projection.Column] = []
        for field in fields {
            guard let place = self.fields.firstIndex(where: { $0.name == field.name }) else {
                return nil
            }
            let old = self.fields[place]
            switch (old.kind, field.kind) {
            case (.number, .number), (.integer, .integer), (.state, .text), (.text, .state),
                (.state, .state), (.text, .text):
                columns.append(.init(place: place, becomesNumber: false))
            case (.integer, .number):
                columns.append(.init(place: place, becomesNumber: true))
            default:
                return nil
            }
            guard old.unit == field.unit else { return nil }
        }
        return Projection(layout: self, columns: columns, isIdentity: self.fields == fields)
    }
}
