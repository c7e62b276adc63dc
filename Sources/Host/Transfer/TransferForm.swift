import ArgumentParser
import Foundation
import Ingest

/// The forms of files that samples are exported to and imported from.
enum TransferForm: String, ExpressibleByArgument, CaseIterable {
    case csv, ndjson, columns

    /// What the ending of a name says; `nil` when it says nothing.
    init?(path: String) {
        switch URL(filePath: path).pathExtension.lowercased() {
        case "csv": self = .csv
        case "ndjson", "jsonl": self = .ndjson
        case "columns", "nvc": self = .columns
        default: return nil
        }
    }

    var form: SampleFormat {
        switch self {
        case .csv: .csv
        case .ndjson: .ndjson
        case .columns: .columns
        }
    }
}
