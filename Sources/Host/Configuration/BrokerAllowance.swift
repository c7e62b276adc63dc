import Auth
import Samples
import Text

extension BrokerPolicy.Allowance {
    /// Reads an entry of `policyBroker.allow`: a privilege, or an object with one and its terms.
    init(_ item: JSONValue) throws(ConfigurationError) {
        func fault(_ message: String) -> ConfigurationError {
            ConfigurationError(position: item.position, message: message)
        }
        var terms = BrokerTermsFields()
        var name = item.string
        if name == nil {
            var fields = try ConfigurationFields(item, of: "an entry of allow")
            name = fields.take("privilege")?.string
            guard terms.read({ fields.take($0) }) else {
                throw fault("rate, precision, history, lifetime or background is invalid")
            }
            try fields.end()
        }
        guard let privilege = name.flatMap({ PrivilegeID($0) }) else {
            throw fault("allow must contain privileges such as sensor:cpu")
        }
        guard
            let allowance = BrokerPolicy.Allowance(
                privilege, maximumRate: terms.rate, precision: terms.precision,
                history: terms.history, lifetime: terms.lifetime,
                background: terms.background ?? true)
        else {
            throw fault("\(privilege) cannot be granted, or not under these terms")
        }
        self = allowance
    }
}

/// The terms that `config.json` and the answers of a policy broker have in common.
struct BrokerTermsFields {
    private(set) var rate: Double?
    private(set) var precision: Double?
    private(set) var history: Duration?
    private(set) var lifetime: Duration?
    private(set) var background: Bool?

    /// Reads the members that are there.
    ///
    /// - Parameter take: returns the value of a key, if there is one.
    /// - Returns: whether all are valid.
    mutating func read(_ take: (String) -> JSONValue?) -> Bool {
        func number(_ key: String) -> Double?? {
            guard let value = take(key) else { return .some(nil) }
            guard let number = value.number?.double, number > 0 else { return nil }
            return number
        }
        func span(_ key: String) -> Duration?? {
            guard let value = take(key) else { return .some(nil) }
            guard let span = value.string.flatMap({ Duration(span: $0) }), span > .zero else {
                return nil
            }
            return span
        }
        guard let rate = number("rate"), let precision = number("precision"),
            let history = span("history"), let lifetime = span("lifetime")
        else { return false }
        if let value = take("background") {
            guard let flag = value.bool else { return false }
            background = flag
        }
        (self.rate, self.precision, self.history, self.lifetime) =
            (rate, precision, history, lifetime)
        return true
    }
}
