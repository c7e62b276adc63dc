/// Why a primitive refused its arguments; `bootstrap.js` makes a `TypeError` of the message.
struct PrimitiveError: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
