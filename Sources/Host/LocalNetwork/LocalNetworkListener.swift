import API
import Addresses
import Foundation
import Glibc
import Provider

/// The addresses and the port on which the host listens for phones of the local network, reserved
/// until its servers listen, with the certificate that they present.
///
/// ```swift
/// let listener = try LocalNetworkListener(section, keys: "/home/me/.local/share/nervous/local-network")
/// print(listener.urls)  // ["https://192.168.1.7:8443", "https://laptop.local:8443"]
/// ```
package struct LocalNetworkListener: Sendable {
    /// The maximum number of concurrent connections to all addresses together.
    static let connections = 128

    /// The port, the same on all addresses.
    package let port: Int
    /// The addresses without brackets.
    let addresses: [String]
    let certificate: ServerCertificate
    let site: LocalNetworkSite
    private let reservations: [ReservedSocket]

    /// The URLs: first those with an address, beginning with the one that a phone most likely reaches, then
    /// the one with a name.
    package var urls: [String] { site.description.urls }

    /// Reserves the port, and reads or makes the certificate.
    ///
    /// - Parameter keys: the folder of its keys and certificates.
    /// - Throws: `CommandFailure` if this machine has no address to listen on, the port is taken or
    ///   not allowed, or the keys cannot be used.
    package init(_ section: LocalNetworkSection, keys folder: String) throws(CommandFailure) {
        try self.init(section, keys: folder, machine: MachineAddress.all(), name: Self.hostName())
    }

    /// - Parameters:
    ///   - machine: the addresses of this machine.
    ///   - name: its host name.
    init(
        _ section: LocalNetworkSection, keys folder: String, machine: [MachineAddress],
        name: String
    ) throws(CommandFailure) {
        let addresses = try Self.choose(section.addresses, of: machine)
        var sockets: [ReservedSocket] = []
        for address in addresses {
            do throws(ReservedSocket.Failure) {
                sockets.append(
                    try ReservedSocket(address, port: sockets.first?.port ?? section.port))
            } catch {
                throw error.described(
                    port: sockets.first?.port ?? section.port,
                    address: WebHost.address(address).description, option: "--lan PORT",
                    alternative: "lan.port in config.json")
            }
        }
        let port = sockets.first?.port ?? section.port
        let label = name.prefix { $0 != "." }
        let local = WebHost("\(label).local").map { [$0.description] } ?? []
        let keys = try ServerKeys(
            in: folder, machine: String(label), names: local, addresses: addresses)
        do {
            certificate = try ServerCertificate(certificate: keys.certificate, key: keys.key)
        } catch {
            throw CommandFailure(.failed, "Cannot use the certificate in \(folder): \(error)")
        }
        let suffix = port == 443 ? "" : ":\(port)"
        let hosts = addresses.map { WebHost.address($0).description } + local
        site = LocalNetworkSite(
            LocalNetworkDescription(
                urls: hosts.map { "https://\($0)\(suffix)" }, pin: keys.pin.description,
                expires: keys.expires.timeIntervalSince1970 * 1000,
                authority: keys.authorityFile, fingerprint: keys.fingerprint))
        self.addresses = addresses.map(\.description)
        self.port = port
        reservations = sockets
    }

    /// The addresses to listen on.
    ///
    /// - Parameter wanted: the addresses that the owner named, whatever network they are in; `nil` for all
    ///   addresses in private networks.
    static func choose(
        _ wanted: [IPAddress]?, of machine: [MachineAddress]
    ) throws(CommandFailure) -> [IPAddress] {
        guard let wanted else {
            let local = machine.filter(\.isLocal).map(\.address)
            guard !local.isEmpty else {
                throw CommandFailure(
                    .unavailable, "This machine has no address in a local network.",
                    hint: "Connect it to one, or name an address in config.json:"
                        + #" "lan": {"addresses": ["192.168.1.7"]}"#,
                    type: "no-local-network")
            }
            return Array(local.prefix(LocalNetworkSection.maximumAddresses))
        }
        let own = machine.map(\.address)
        // Every address of 127.0.0.0/8 is this machine's, although only one is listed.
        if let other = wanted.first(where: { !own.contains($0) && $0.scope.reach != .ownMachine }) {
            let names = own.map(\.description).joined(separator: ", ")
            throw CommandFailure(
                .unavailable, "This machine has no address \(other).",
                hint: "It has \(names). Change lan.addresses in config.json.",
                type: "no-local-network")
        }
        return wanted
    }

    private static func hostName() -> String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return "nervous" }
        return String(
            decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
