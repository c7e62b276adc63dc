public import Addresses
public import NIOHTTP1

extension HTTPHeaders {
    /// What a request says that is the only one of its connection and takes no compressed answer.
    ///
    /// - Parameter userAgent: who asks.
    public init(asking origin: WebOrigin, as userAgent: String) {
        let port = origin.port == origin.scheme.port ? "" : ":\(origin.port)"
        self = [
            "Host": "\(origin.host)\(port)", "User-Agent": userAgent, "Connection": "close",
            "Accept-Encoding": "identity",
        ]
    }

    /// Takes an answer of any type, where nothing else was said.
    public mutating func acceptAnything() {
        if self["Accept"].isEmpty { add(name: "Accept", value: "*/*") }
    }
}
