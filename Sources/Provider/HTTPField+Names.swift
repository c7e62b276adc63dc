import HTTPTypes

extension HTTPField.Name {
    static let host = known("Host")
    static let requestID = known("X-Request-Id")
    static let referrerPolicy = known("Referrer-Policy")
    static let lastEventID = known("Last-Event-ID")
    static let idempotencyKey = known("Idempotency-Key")
    static let damaged = known("Nervous-Damaged")
    static let dropped = known("Nervous-Dropped")
    static let refused = known("Nervous-Refused")
    static let sensor = known("Nervous-Sensor")
    static let link = known("Link")
    static let nervousRequest = known("Nervous-Request")
    static let nervousAnswer = known("Nervous-Answer")
    static let serviceWorker = known("Service-Worker")
    static let resourcePolicy = known("Cross-Origin-Resource-Policy")
    static let openerPolicy = known("Cross-Origin-Opener-Policy")

    private static func known(_ name: StaticString) -> HTTPField.Name {
        guard let name = HTTPField.Name("\(name)") else {
            preconditionFailure("not a field name: \(name)")
        }
        return name
    }
}
