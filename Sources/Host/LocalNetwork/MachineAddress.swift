import Addresses
import Foundation
import Glibc

/// An IP address of a network interface of this machine.
struct MachineAddress: Hashable {
    let address: IPAddress
    /// The name of the interface, such as `wlan0`.
    let interface: String
    /// Whether the interface is a tunnel to one other machine, as those of VPNs are.
    let isTunnel: Bool

    /// Whether phones in the same network can reach it.
    ///
    /// Not for link-local addresses of IPv6, because URLs on phones cannot name the interface; nor for
    /// those that a provider's customers share (RFC 6598).
    var isLocal: Bool {
        guard !isTunnel, address.scope.reach == .ownNetwork, CertificateIssuer.isPrivate(address)
        else { return false }
        if case .v6(let bits) = address { return bits >> 118 != 0xFE80 >> 6 }
        return true
    }

    /// The addresses of all interfaces that are up, those of the default route first, IPv4 before IPv6.
    static func all() -> [MachineAddress] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var found: [MachineAddress] = []
        for entry in sequence(first: list, next: { $0?.pointee.ifa_next }) {
            guard let entry = entry?.pointee, entry.ifa_flags & UInt32(IFF_UP) != 0,
                let address = entry.ifa_addr.flatMap(IPAddress.init(pointer:))
            else { continue }
            found.append(
                MachineAddress(
                    address: address, interface: String(cString: entry.ifa_name),
                    isTunnel: entry.ifa_flags & UInt32(IFF_POINTOPOINT) != 0))
        }
        // Files of the kernel have no size: `String(contentsOfFile:)` reads their first page only.
        let table = FileHandle(forReadingAtPath: "/proc/net/route").flatMap { try? $0.readToEnd() }
        let route = defaultInterface(in: String(decoding: table ?? Data(), as: UTF8.self))
        return found.enumerated().sorted { first, second in
            rank(first.element, route, first.offset) < rank(second.element, route, second.offset)
        }.map(\.element)
    }

    private static func rank(
        _ address: MachineAddress, _ route: String?, _ offset: Int
    ) -> (Int, Int, Int) {
        var family = 0
        if case .v6 = address.address { family = 1 }
        return (address.interface == route ? 0 : 1, family, offset)
    }

    /// The interface of the default route with the lowest metric.
    ///
    /// - Parameter table: lines of `Iface Destination Gateway Flags RefCnt Use Metric Mask …`, proc(5).
    static func defaultInterface(in table: String) -> String? {
        table.split(separator: "\n").compactMap { line -> (name: Substring, metric: Int)? in
            let columns = line.split(whereSeparator: \.isWhitespace)
            guard columns.count > 7, columns[1] == "00000000", columns[7] == "00000000",
                let metric = Int(columns[6])
            else { return nil }
            return (columns[0], metric)
        }.min { $0.metric < $1.metric }.map { String($0.name) }
    }
}

extension IPAddress {
    /// The address in a `sockaddr`; `nil` for another family.
    fileprivate init?(pointer: UnsafeMutablePointer<sockaddr>) {
        switch Int32(pointer.pointee.sa_family) {
        case AF_INET:
            self = pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                .v4(UInt32(bigEndian: $0.pointee.sin_addr.s_addr))
            }
        case AF_INET6:
            self = pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                withUnsafeBytes(of: address.pointee.sin6_addr) {
                    .v6(UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)))
                }
            }
        default: return nil
        }
    }
}
