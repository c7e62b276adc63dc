import Auth
import Text

/// Why a configuration is not accepted, and where.
struct ConfigurationError: Error {
    let position: JSONPosition
    let message: String
}
