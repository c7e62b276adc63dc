import Samples

/// What stands before the columns of a batch.
enum ColumnsHeader {
    /// The letters NVC.
    static let magic: [UInt8] = [0x4E, 0x56, 0x43]
    static let version: UInt8 = 1
    /// The bytes before the names of the fields.
    static let length = 18

    /// The byte that stands for a kind of field.
    static func code(of kind: Field.Kind) -> UInt8 {
        switch kind {
        case .number: 0
        case .integer: 1
        case .state: 2
        case .text: 3
        }
    }
}
