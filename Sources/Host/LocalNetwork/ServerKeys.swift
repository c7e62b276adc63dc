import Addresses
import Crypto
import Files
import Foundation
import Text

/// The keys and certificates of the listener for the local network, in a folder of the data directory.
///
/// All are made at the first start. The keys stay: the pin of the server's key and the installed
/// certificate of the authority remain valid when the server's certificate is renewed, because it
/// expires or the machine has another address.
struct ServerKeys {
    /// The server's certificate and its key, in PEM.
    let certificate: String
    let key: String
    /// The pin of the server's key.
    let pin: CertificatePin
    /// When the server's certificate expires.
    let expires: Date
    /// The path of the file with the authority's certificate.
    let authorityFile: String
    /// The SHA-256 of the authority's certificate, in pairs of hexadecimal digits.
    let fingerprint: String

    /// Reads the files, and creates or renews what is missing or does not fit.
    ///
    /// - Parameters:
    ///   - machine: the name of this machine, for display.
    ///   - names: the names of this machine, below `.local`.
    ///   - addresses: the addresses that the server listens on.
    /// - Throws: `CommandFailure` if a key is damaged or open to others, or cannot be written.
    init(
        in folder: String, machine: String, names: [String], addresses: [IPAddress],
        now: Date = Date()
    ) throws(CommandFailure) {
        do {
            try PrivateFolder.make(folder)
            DurableFile.removeDrafts(in: folder)
            let issuer = CertificateIssuer(now: now)
            // In this order: a certificate is written after the keys that it depends on.
            let authorityKey = try Self.key(at: "\(folder)/authority-key.pem")
            let serverKey = try Self.key(at: "\(folder)/server-key.pem")
            let authorityFile = "\(folder)/authority.crt"
            let unusual = addresses.filter { !CertificateIssuer.isPrivate($0) }
            let authority = try Self.certificate(at: authorityFile) {
                try issuer.isCurrent($0, key: authorityKey.publicKey, addresses: unusual)
            } or: {
                try issuer.authority(key: authorityKey, machine: machine, addresses: unusual)
            }
            let server = try Self.certificate(at: "\(folder)/server.crt") {
                try issuer.isCurrent(
                    $0, key: serverKey.publicKey, authority: authority, names: names,
                    addresses: addresses)
            } or: {
                try issuer.server(
                    key: serverKey.publicKey, signedBy: (authority, authorityKey), names: names,
                    addresses: addresses)
            }
            certificate = server.pem
            key = serverKey.pemRepresentation
            pin = CertificatePin(
                digest: Array(SHA256.hash(data: serverKey.publicKey.derRepresentation)))
            expires = server.notValidAfter
            self.authorityFile = authorityFile
            fingerprint = try authority.sha256().map { [$0].hexadecimal.uppercased() }
                .joined(separator: ":")
        } catch let error as CommandFailure {
            throw error
        } catch let error as FilesError {
            throw CommandFailure(error)
        } catch {
            throw CommandFailure(.failed, "Cannot make a certificate: \(error)")
        }
    }

    /// The key in a file; a new one if the file does not exist.
    private static func key(at path: String) throws -> P256.Signing.PrivateKey {
        guard let text = try text(at: path) else {
            let key = P256.Signing.PrivateKey()
            try DurableFile.replace(path, with: Array(key.pemRepresentation.utf8))
            return key
        }
        guard let key = try? P256.Signing.PrivateKey(pemRepresentation: text) else {
            throw CommandFailure(
                .inputOutput, "The key \(path) is damaged.",
                hint: "Restore it, or remove it: phones then need the new pin or certificate.",
                type: "damaged")
        }
        return key
    }

    /// The certificate in a file if it can be kept, otherwise a new one.
    private static func certificate(
        at path: String, ifCurrent isCurrent: (Certificate) throws -> Bool,
        or issue: () throws -> Certificate
    ) throws -> Certificate {
        if let text = try text(at: path),
            let certificate = try? Certificate(pem: text), try isCurrent(certificate)
        {
            return certificate
        }
        let certificate = try issue()
        try DurableFile.replace(path, with: Array(certificate.pem.utf8))
        return certificate
    }

    /// The content of a file that only this user can open; `nil` if it does not exist.
    private static func text(at path: String) throws -> String? {
        guard access(path, F_OK) == 0 else { return nil }
        try PrivateFile.check(path)
        return try String(contentsOfFile: path, encoding: .utf8)
    }
}

extension CommandFailure {
    fileprivate init(_ error: FilesError) {
        let (code, type): (Code, String) =
            switch error.code {
            case .unsafe: (.configuration, "unsafe-file")
            case .diskFull: (.cannotCreate, "disk-full")
            case .failed: (.cannotCreate, "data-unusable")
            }
        self.init(code, error.message, hint: error.hint, type: type)
    }
}
