import Foundation
import JSApps
import TestSupport

extension Unpacker {
    /// The program as it was built beside the tests.
    static let built = Unpacker(program: BuiltProgram.path("nervous-unpacker"))
}
