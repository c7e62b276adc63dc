import Foundation
import TestSupport
import Testing

/// Bytes compressed by the real `gzip`.
func gzipped(_ bytes: [UInt8]) async throws -> [UInt8] {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data(bytes).write(to: file)
    defer { try? FileManager.default.removeItem(at: URL(filePath: file.path + ".gz")) }
    let gzip = try Program("/usr/bin/gzip", [file.path], errors: .inherited)
    #expect(try await gzip.wait() == 0)
    return Array(try Data(contentsOf: URL(filePath: file.path + ".gz")))
}
