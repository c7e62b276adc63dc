import Foundation
import Samples

/// The fields of stored samples, in order; a sensor whose fields change gets a new layout.
struct Layout: Hashable, Sendable {
    let id: Int64
    let fields: [Field]

    init(id: Int64, fields: [Field]) {
        self.id = id
        self.fields = fields
    }

    /// Decodes fields that `encode(_:)` encoded.
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

    /// How samples of this layout are converted to samples with `fields`.
    ///
    /// - Returns: `nil` when the layout lacks a field, has it with another unit, or with a kind that cannot be
    ///   converted.
    func projection(to fields: [Field]) -> Projection? {
        var columns: [Projection.Column] = []
        for field in fields {
            guard let index = self.fields.firstIndex(where: { $0.name == field.name }) else {
                return nil
            }
            let old = self.fields[index]
            switch (old.kind, field.kind) {
            case (.number, .number), (.integer, .integer), (.state, .text), (.text, .state),
                (.state, .state), (.text, .text):
                columns.append(.init(index: index, becomesNumber: false))
            case (.integer, .number):
                columns.append(.init(index: index, becomesNumber: true))
            default:
                return nil
            }
            guard old.unit == field.unit else { return nil }
        }
        return Projection(layout: self, columns: columns, isIdentity: self.fields == fields)
    }
}

/// Converts samples of one layout to samples with other fields: selects columns by name and reorders them.
struct Projection: Sendable {
    struct Column: Sendable {
        /// The field's index in the layout.
        let index: Int
        let becomesNumber: Bool
    }

    let layout: Layout
    let columns: [Column]
    let isIdentity: Bool

    func callAsFunction(_ stored: StoredSample) -> StoredSample {
        guard !isIdentity else { return stored }
        let values = columns.map { column in
            let value = stored.values[column.index]
            guard column.becomesNumber, let number = value.double else { return value }
            return .number(number)
        }
        return StoredSample(
            sequence: stored.sequence, sample: Sample(time: stored.time, values: values))
    }

    func callAsFunction(_ batch: StoredBatch) -> StoredBatch {
        guard !isIdentity else { return batch }
        return StoredBatch(
            sequences: batch.sequences,
            samples: SampleBatch(
                times: batch.samples.times,
                columns: columns.map { $0.converted(batch.samples.columns[$0.index]) }))
    }
}

extension Projection {
    /// The projection that keeps every field.
    init(identityOf layout: Layout) {
        self.init(
            layout: layout,
            columns: layout.fields.indices.map { Column(index: $0, becomesNumber: false) },
            isIdentity: true)
    }
}

extension Projection.Column {
    func converted(_ column: Samples.Column) -> Samples.Column {
        guard becomesNumber, case .integers(let values) = column else { return column }
        return .numbers(values.map(Double.init))
    }
}
