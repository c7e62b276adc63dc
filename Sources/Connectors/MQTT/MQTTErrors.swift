import CMosquitto
import Glibc
import Text

/// The errors of MQTT connections, with remedies.
enum MQTTErrors {
    /// The broker refused the connection (MQTT 3.1.1, 3.2.2.3).
    static func refused(_ broker: MQTTBroker, _ code: Int32) -> ConnectorError {
        let name = broker.username.map { $0.escapedForDisplay(limit: 60) }
        return switch code {
        case 1: ConnectorError("\(broker) does not speak MQTT 3.1.1.")
        case 2: ConnectorError("\(broker) refused the clientID. Use another, or none.")
        case 3: ConnectorError("\(broker) is not ready.")
        case 4, 5:
            if let name {
                ConnectorError(
                    "\(broker) denied access to \(name). Check the user name and the password.")
            } else {
                ConnectorError(
                    "\(broker) requires authentication. Set username and password.")
            }
        default: ConnectorError("\(broker) refused the connection with code \(code).")
        }
    }

    static func subscriptionDenied(_ broker: MQTTBroker, _ topic: String) -> ConnectorError {
        ConnectorError(
            "\(broker) denied the subscription to \(topic.escapedForDisplay(limit: 80)). "
                + "Allow the user to read it in the broker's access list.")
    }

    static func noAnswer(_ broker: MQTTBroker) -> ConnectorError {
        ConnectorError(
            "\(broker) does not answer. Check the address and the port"
                + (broker.trust == nil ? ", and whether it requires tls." : "."))
    }

    static func unreachable(_ broker: MQTTBroker, _ number: Int32) -> ConnectorError {
        if number == ECONNRESET || number == EPIPE { return closedEarly(broker) }
        return ConnectorError(
            "\(broker) cannot be reached: \(MQTTBroker.reason(number)). "
                + "Check the address and the port, and that the broker runs.")
    }

    /// - Parameters:
    ///   - result: the result of the library.
    ///   - number: `errno` after the call.
    ///   - logMessage: the log message of the library.
    ///   - wasAccepted: whether the broker had accepted the connection.
    static func of(
        _ result: Int32, _ number: Int32, _ broker: MQTTBroker, logMessage: String?,
        wasAccepted: Bool
    ) -> ConnectorError {
        let tls = [MOSQ_ERR_TLS, MOSQ_ERR_TLS_HANDSHAKE].map(\.rawValue)
        let usesTLS = broker.trust != nil
        if tls.contains(result) || usesTLS && number == EPROTO {
            return untrusted(broker, logMessage)
        }
        switch mosq_err_t(result) {
        case MOSQ_ERR_EAI, MOSQ_ERR_LOOKUP:
            return ConnectorError(
                "Host \(broker.host) not found. Check the name and the network connection.")
        case MOSQ_ERR_ERRNO where !wasAccepted: return unreachable(broker, number)
        case MOSQ_ERR_CONN_LOST where !wasAccepted: return closedEarly(broker)
        case MOSQ_ERR_KEEPALIVE: return ConnectorError("\(broker) stopped responding.")
        case MOSQ_ERR_PROTOCOL, MOSQ_ERR_MALFORMED_PACKET, MOSQ_ERR_MALFORMED_UTF8:
            return ConnectorError("The server at \(broker) does not speak MQTT 3.1.1.")
        default:
            let text = mosquitto_strerror(result).map { String(cString: $0) } ?? "\(result)"
            return ConnectorError("\(broker): \(text.escapedForDisplay(limit: 200))")
        }
    }

    private static func closedEarly(_ broker: MQTTBroker) -> ConnectorError {
        let question =
            broker.trust == nil ? "whether it requires tls" : "whether it supports tls there"
        return ConnectorError(
            "\(broker) closed the connection before accepting it. "
                + "Check the port, and \(question).")
    }

    private static func untrusted(_ broker: MQTTBroker, _ logMessage: String?) -> ConnectorError {
        let logMessage = logMessage ?? ""
        if logMessage.contains("host name verification") {
            return ConnectorError(
                "The certificate of \(broker) is for another name. "
                    + "Use the host name in it.")
        }
        if logMessage.contains("certificate verify failed") {
            let help =
                broker.trust == .system
                ? "Set ca to the certificate of its authority." : "Check the file of ca."
            return ConnectorError("The certificate of \(broker) is not trusted. \(help)")
        }
        // OpenSSL: error:CODE:LIBRARY:FUNCTION:REASON.
        let reason = logMessage.split(separator: ":").last.map(String.init) ?? ""
        let shown = reason.isEmpty ? "" : ": " + reason.escapedForDisplay(limit: 120)
        return ConnectorError(
            "\(broker) does not accept a TLS connection\(shown). "
                + "Check whether it supports tls at this port."
        )
    }
}
