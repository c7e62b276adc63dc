import Foundation
import TestSupport

/// What the runner prints when it is asked about itself.
struct RunnerOutput {
    let lines: [String]
    let code: Int32

    init(arguments: [String]) throws {
        let runner = try Program(
            BuiltProgram.path("nervous-runner"), arguments, output: .pipe, errors: .inherited)
        let bytes = try runner.readToEnd()
        code = try runner.wait()
        lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
