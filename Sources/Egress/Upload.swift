public import Addresses
public import Samples

/// One transmission of the owner's data to a server.
public struct Upload: Sendable {
    /// The maximum size of one upload in bytes.
    public static let largest = 16 << 20
    private static let longestTitle = 200

    /// Where it is sent.
    public let address: WebAddress
    /// What it contains, for the owner.
    public let title: String
    /// Such as `application/geo+json`.
    public let mediaType: String
    /// The bytes.
    public let body: [UInt8]
    /// A file with the server's token on one line; it is read before each attempt.
    public let tokenFile: String?
    /// The sensors whose samples it contains.
    public let sensors: [SensorID]
    /// When the samples were taken.
    public let range: TimeRange

    /// Creates an upload.
    ///
    /// - Parameters:
    ///   - sensors: whose samples it contains, so that it is discarded when they are forgotten.
    ///   - range: when the samples were taken.
    /// - Throws: `invalid` for an unencrypted address of another machine, for more bytes than
    ///   ``largest``, and for a relative path of the token's file.
    public init(
        to address: WebAddress, title: String, mediaType: String, body: [UInt8],
        tokenFile: String? = nil, sensors: [SensorID] = [], range: TimeRange = .all
    ) throws(OutboxError) {
        guard address.origin.isProtected else {
            throw OutboxError(
                .invalid, "\(address.origin) is not encrypted: others could read the data.",
                hint: "Use an address that begins with https://")
        }
        guard body.count <= Self.largest else {
            throw OutboxError(
                .invalid,
                "The data is larger than \(Self.largest >> 20) MiB, the limit of an upload.")
        }
        guard tokenFile?.hasPrefix("/") != false else {
            throw OutboxError(.invalid, "The path of the token's file must be absolute.")
        }
        self.address = address
        self.title = String(title.prefix(Self.longestTitle))
        self.mediaType = mediaType
        self.body = body
        self.tokenFile = tokenFile
        (self.sensors, self.range) = (sensors, range)
    }
}

/// An upload that waits in the outbox, without its bytes.
public struct QueuedUpload: Codable, Hashable, Sendable, Identifiable {
    /// Whether it is tried again automatically.
    public enum State: String, Codable, Sendable {
        /// It is tried again automatically.
        case waiting
        /// The server refused it; it is tried again only at the owner's request.
        case refused
    }

    /// Also the idempotency key, by which the server recognises a repetition.
    public let id: String
    /// The URL.
    public let address: String
    /// What it contains, for the owner.
    public let title: String
    /// Such as `application/geo+json`.
    public let mediaType: String
    /// The path of the file with the server's token.
    public let tokenFile: String?
    /// Bytes of the body.
    public let size: Int
    /// When it was queued.
    public let created: Timestamp
    /// The names of the sensors whose samples it contains; `nil` for an upload of an earlier version,
    /// which is the route of a session.
    public let sensors: [String]?
    /// When its samples were taken; half-open.
    public let from: Timestamp?
    /// The end of that range.
    public let to: Timestamp?
    /// Whether it is tried again automatically.
    public internal(set) var state: State
    /// The number of attempts.
    public internal(set) var attempts: Int
    /// Why the last attempt failed, in one sentence.
    public internal(set) var problem: String
    /// When it is tried again automatically.
    public internal(set) var next: Timestamp?
}

/// What the status of a response means for data that was sent.
public enum ServerVerdict: Hashable, Sendable {
    /// The server accepted the data.
    case accepted
    /// Another attempt can succeed; why this one did not, in one sentence.
    case busy(String)
    /// The same attempt would fail again; why, in one sentence.
    case refused(String)

    /// Statuses that ask for another attempt: RFC 9110, section 15, RFC 8470, section 5.2, and RFC
    /// 6585, section 4.
    private static let transient: Set<Int> = [408, 425, 429]

    /// Judges a status.
    public init(status: Int, of server: WebOrigin) {
        let answer = "\(server) answered \(status):"
        switch status {
        case 200..<300: self = .accepted
        case _ where status >= 500 || Self.transient.contains(status):
            self = .busy("\(answer) it cannot accept the upload now.")
        case 401, 403: self = .refused("\(answer) it needs a valid token.")
        case 300..<400: self = .refused("\(answer) the upload belongs at another address.")
        default: self = .refused("\(answer) it refused the upload.")
        }
    }
}

/// Sends uploads.
public protocol Uploader: Sendable {
    /// Makes one attempt.
    ///
    /// - Parameters:
    ///   - id: the idempotency key: the same for each attempt of an upload.
    ///   - token: the server's token.
    /// - Returns: the HTTP status of the response.
    /// - Throws: when there was no response.
    func upload(_ upload: Upload, id: String, token: String?) async throws(EgressError) -> Int
}

/// Sends uploads with POST requests.
///
/// Redirects are not followed: the owner chose the server.
public struct HTTPUploader: Uploader {
    private static let options: OutboundOptions = {
        var options = OutboundOptions()
        options.connecting = .seconds(10)
        options.total = .seconds(60)
        options.readsBody = false
        options.redirects = 0
        return options
    }()

    private let client: OutboundClient

    /// Creates an uploader.
    ///
    /// - Parameter userAgent: the value of `User-Agent`.
    public init(userAgent: String) {
        client = OutboundClient(userAgent: userAgent)
    }

    public func upload(
        _ upload: Upload, id: String, token: String?
    ) async throws(EgressError) -> Int {
        var fields = [
            HeaderField("Content-Type", upload.mediaType),
            // draft-ietf-httpapi-idempotency-key-header: a string of RFC 9651.
            HeaderField("Idempotency-Key", "\"\(id)\""),
        ]
        if let token { fields.append(HeaderField("Authorization", "Bearer \(token)")) }
        let request = OutboundRequest(
            trusted: "POST", upload.address, fields: fields, body: upload.body)
        do {
            return try await client.send(request, Self.options) {
                try await $0.perform(pin: nil)
            }.status
        } catch let error as EgressError {
            throw error
        } catch {
            throw .incomplete(upload.address.origin.description, cause: error)
        }
    }
}
