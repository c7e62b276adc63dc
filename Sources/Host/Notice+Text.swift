import AppStorage
import Auth

extension Notice {
    /// One line for the log of a host; what an app says has its name before it.
    var line: String {
        switch content {
        case .message(let message):
            "\(message.app) says: "
                + [message.title, message.body].compactMap(\.self).joined(
                    separator: " – ")
        case .refusal(let message, let operation): "refused: \(message) (\(operation))"
        }
    }
}
