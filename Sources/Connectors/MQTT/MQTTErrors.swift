import CMosquitto
import Glibc
import Text

/// What goes wrong with brokers, in words, and what helps.
enum MQTTErrors {
    /// The answer of a broker to the wish to connect (MQTT 3.1.1, 3.2.2.3).
    static func refused(_ broker: MQTTBroker, _ code: Int32) -> ConnectorError {
        let name = broker.username.map { $0.escapedForDisplay(limit: 60) }
        return switch code {
        case 1: ConnectorError("\(broker) does not speak MQTT 3.1.1.")
        case 2: ConnectorError("\(broker) refuses the clientID. Give another, or none.")
        case 3: ConnectorError("\(broker) is there, and not ready.")
        case 4, 5:
            if let name {
                ConnectorError(
                    "\(broker) does not let \(name) in. Check the user name and the password.")
            } else {
                ConnectorError(
                    "\(broker) lets nobody in without a name. Give a username and a password.")
            }
        default: ConnectorError("\(broker) refuses the connection with code \(code).")
        }
    }

    static func withheld(_ broker: MQTTBroker, _ topic: String) -> ConnectorError {
        ConnectorError(
            "\(broker) does not pass on \(topic.escapedForDisplay(limit: 80)). "
                + "Let the user read it in the broker's access list.")
    }

    static func silent(_ broker: MQTTBroker) -> ConnectorError {
        ConnectorError(
            "\(broker) does not answer. Check the address and the port"
                + (broker.trust == nil ? ", and whether it wants tls." : "."))
    }

    static func unreachable(_ broker: MQTTBroker, _ number: Int32) -> ConnectorError {
        if number == ECONNRESET || number == EPIPE { return unwelcome(broker) }
        return ConnectorError(
            "\(broker) cannot be reached: \(MQTTBroker.reason(number)). "
                + "Check the address and the port, and that the broker runs.")
    }

    /// - Parameters:
    ///   - result: what the library returned.
    ///   - number: `errno` then.
    ///   - complaint: what the library wrote.
    ///   - isIn: whether the broker had let one in.
    static func of(
        _ result: Int32, _ number: Int32, _ broker: MQTTBroker, complaint: String?, isIn: Bool
    ) -> ConnectorError {
        let tls = [MOSQ_ERR_TLS, MOSQ_ERR_TLS_HANDSHAKE].map(\.rawValue)
        let isSecret = broker.trust != nil
        if tls.contains(result) || isSecret && number == EPROTO {
            return untrusted(broker, complaint)
        }
        switch mosq_err_t(result) {
        case MOSQ_ERR_EAI, MOSQ_ERR_LOOKUP:
            return ConnectorError(
                "The name \(broker.host) is not known. Check it, and that the network is there.")
        case MOSQ_ERR_ERRNO where !isIn: return unreachable(broker, number)
        case MOSQ_ERR_CONN_LOST where !isIn: return unwelcome(broker)
        case MOSQ_ERR_KEEPALIVE: return ConnectorError("\(broker) has fallen silent.")
        case MOSQ_ERR_PROTOCOL, MOSQ_ERR_MALFORMED_PACKET, MOSQ_ERR_MALFORMED_UTF8:
            return ConnectorError("What answers at \(broker) does not speak MQTT 3.1.1.")
        default:
            let text = mosquitto_strerror(result).map { String(cString: $0) } ?? "\(result)"
            return ConnectorError("\(broker): \(text.escapedForDisplay(limit: 200))")
        }
    }

    private static func unwelcome(_ broker: MQTTBroker) -> ConnectorError {
        let doubt = broker.trust == nil ? "whether it wants tls" : "whether it has tls there"
        return ConnectorError(
            "\(broker) ended the connection before it let anybody in. "
                + "Check the port, and \(doubt).")
    }

    private static func untrusted(_ broker: MQTTBroker, _ complaint: String?) -> ConnectorError {
        let complaint = complaint ?? ""
        if complaint.contains("host name verification") {
            return ConnectorError(
                "The certificate of \(broker) is for another name. "
                    + "Use the host that stands in it.")
        }
        if complaint.contains("certificate verify failed") {
            let help =
                broker.trust == .system
                ? "Name the certificate of its authority as ca." : "Check the file of ca."
            return ConnectorError("Nobody vouches for the certificate of \(broker). \(help)")
        }
        // OpenSSL: error:CODE:LIBRARY:FUNCTION:REASON.
        let reason = complaint.split(separator: ":").last.map(String.init) ?? ""
        let shown = reason.isEmpty ? "" : ": " + reason.escapedForDisplay(limit: 120)
        return ConnectorError(
            "\(broker) cannot be spoken to in secret\(shown). Check whether it has tls at this port."
        )
    }
}
