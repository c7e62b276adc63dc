public import Auth
import Samples

extension AnalyticsEngine {
    /// The samples of a selection column by column, at most its limit.
    ///
    /// - Throws: as `samples(_:for:)`.
    public func batch(
        _ selection: SampleSelection, for grant: Grant
    ) async throws(LAEError) -> BatchPage {
        let page = try await samples(selection, for: grant)
        var columns: [Column] = []
        for (place, field) in page.fields.enumerated() {
            columns.append(try Self.column(place, field, page.samples))
        }
        let batch = SampleBatch(times: page.samples.map(\.time), columns: columns)
        return BatchPage(fields: page.fields, samples: batch, next: page.next)
    }

    private static func column(
        _ place: Int, _ field: Field, _ samples: [StoredSample]
    ) throws(LAEError) -> Column {
        var column = Column(of: field.kind)
        switch field.kind {
        case .number:
            column = .numbers(
                samples.compactMap { sample -> Double? in
                    guard case .number(let value) = sample.values[place] else { return nil }
                    return value
                })
        case .integer:
            column = .integers(
                samples.compactMap { sample -> Int64? in
                    guard case .integer(let value) = sample.values[place] else { return nil }
                    return value
                })
        case .state, .text:
            column = .texts(
                samples.compactMap { sample -> String? in
                    guard case .text(let value) = sample.values[place] else { return nil }
                    return value
                })
        }
        guard column.count == samples.count else {
            throw LAEError(
                .failed, "A stored value of \(field.name) is not a \(field.kind.rawValue).")
        }
        return column
    }
}
