import AsyncHTTPClient
import Foundation
import NIOCore

/// The lines of an answer, each without its end, as they arrive.
struct LineSequence: AsyncSequence {
    /// No line of the host's is longer: a page's document with every character escaped.
    private static let longest = 8 << 20

    let body: HTTPClientResponse.Body

    func makeAsyncIterator() -> Iterator { Iterator(pieces: body.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        var pieces: HTTPClientResponse.Body.AsyncIterator
        private var buffer = ByteBuffer()

        init(pieces: HTTPClientResponse.Body.AsyncIterator) {
            self.pieces = pieces
        }

        mutating func next() async throws -> Data? {
            while true {
                let view = buffer.readableBytesView
                if let end = view.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = Data(view[..<end])
                    buffer.moveReaderIndex(forwardBy: line.count + 1)
                    return line
                }
                guard view.count <= longest else {
                    throw CommandFailure(.remote, "The host sent a line without an end.")
                }
                guard var piece = try await pieces.next() else { return nil }
                buffer.discardReadBytes()
                buffer.writeBuffer(&piece)
            }
        }
    }
}
