import Foundation

extension Exercise {
    /// Calls for the lock of the owner's key.
    static func lock(_ host: ServedHost) -> [Exercise] {
        let right = #"{"passphrase": "correct horse battery"}"#
        let calls = [
            host.owned("lockState", 200, "GET", "/lock"),
            host.owned("unlock", 409, "POST", "/lock/unlock", json: right),
            host.owned("setLease", 409, "PATCH", "/lock", json: #"{"lease": "5m"}"#),
            host.owned(
                "setPassphrase", 409, "PUT", "/lock/passphrase",
                json: #"{"passphrase": "x", "newPassphrase": "another passphrase"}"#),
            host.owned("setUpLock", 422, "POST", "/lock/setup", json: #"{"passphrase": "short"}"#),
            host.owned("setUpLock", 201, "POST", "/lock/setup", json: right),
            host.owned("setUpLock", 409, "POST", "/lock/setup", json: right),
            host.owned("setLease", 200, "PATCH", "/lock", json: #"{"lease": "5m"}"#),
            host.owned("setLease", 400, "PATCH", "/lock", json: #"{"lease": "1s"}"#),
            host.owned("lock", 200, "POST", "/lock"),
            host.owned("setLease", 423, "PATCH", "/lock", json: #"{"lease": "5m"}"#),
            host.owned("unlock", 200, "POST", "/lock/unlock", json: right),
            host.owned("unlock", 403, "POST", "/lock/unlock", json: #"{"passphrase": "wrong"}"#),
            host.owned("unlock", 422, "POST", "/lock/unlock", json: #"{"passphrase": ""}"#),
            host.owned("unlock", 422, "POST", "/lock/unlock", json: #"{"recovered": "x"}"#),
            host.owned(
                "setPassphrase", 200, "PUT", "/lock/passphrase",
                json:
                    #"{"passphrase": "correct horse battery", "newPassphrase": "another passphrase"}"#
            ),
            host.owned(
                "setPassphrase", 422, "PUT", "/lock/passphrase",
                json: #"{"passphrase": "another passphrase", "newPassphrase": "short"}"#),
            host.owned(
                "setPassphrase", 400, "PUT", "/lock/passphrase",
                json: #"{"passphrase": "another passphrase"}"#),
        ]
        return calls + host.wrongBodies("setLease", "PATCH", "/lock")
            + host.wrongBodies("setUpLock", "POST", "/lock/setup")
            + host.wrongBodies("unlock", "POST", "/lock/unlock")
            + host.wrongBodies("setPassphrase", "PUT", "/lock/passphrase")
    }
}
