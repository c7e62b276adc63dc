import DBus
import Foundation
import Glibc
public import Scheduling
import Synchronization
public import VM

/// Sensors of services on the system bus: the session of the owner and the lid from logind; orientation, light,
/// proximity and compass from iio-sensor-proxy; and, if the owner wants it, the location from GeoClue.
///
/// Which of them are there is known while ``changes()`` is consumed, and after ``refresh()``. Sources:
/// org.freedesktop.login1(5), the interface `net.hadess.SensorProxy` of iio-sensor-proxy, and the interfaces of
/// GeoClue.
public final class SystemBusDriver: SensorDriver {
    private let bus: String
    private let usesGeoClue: Bool
    private let user: UInt32
    private let time: any TimeSource
    private let items: [SystemBusItem]
    private let state = Mutex(BusServices.unknown)

    /// Creates a driver.
    ///
    /// - Parameters:
    ///   - bus: the address of the system bus; `nil` for that of the environment.
    ///   - usesGeoClue: whether there is a sensor of GeoClue, which may send the names of networks nearby to a
    ///     server.
    ///   - user: whose session is observed; `nil` for the user of this process.
    ///   - time: the wait between attempts to connect, and between readings of the lid.
    public init(
        roots: SystemRoots = .standard, bus: String? = nil, usesGeoClue: Bool = false,
        user: UInt32? = nil, time: any TimeSource = .system
    ) {
        let bus = bus ?? BusAddress.system(in: ProcessInfo.processInfo.environment)
        let user = user ?? getuid()
        (self.bus, self.usesGeoClue, self.user, self.time) = (bus, usesGeoClue, user, time)
        items = SystemBusItem.all(
            roots, bus: bus, usesGeoClue: usesGeoClue, user: user, time: time)
    }

    /// The sensors that are there, and those that most machines can have.
    public func discover() -> [DiscoveredSensor] {
        let state = state.withLock(\.self)
        return items.compactMap { item in
            switch item.presence(state) {
            case .present: DiscoveredSensor(item.sensor, .pushed(item.source))
            case .missing(let reason, let remedy):
                DiscoveredSensor(item.sensor, .unavailable(reason: reason, remedy: remedy))
            case .hidden: nil
            }
        }
    }

    /// Looks once which services there are.
    public func refresh() async {
        var found: BusServices
        do throws(BusError) {
            let connection = try BusConnection(address: bus)
            do throws(BusError) {
                found = try await look(connection)
            } catch {
                found = BusServices(error)
            }
            await connection.close()
        } catch {
            found = BusServices(error)
        }
        state.withLock { $0 = found }
    }

    /// Yields when services appear or go, and when what they have changes.
    public func changes() -> AsyncStream<Void>? {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { change in
            let task = Task { await watch(change) }
            change.onTermination = { _ in task.cancel() }
        }
    }

    private func watch(_ change: AsyncStream<Void>.Continuation) async {
        var backoff = Backoff()
        while !Task.isCancelled {
            do {
                let connection = try BusConnection(address: bus)
                let result: Result<Void, any Error>
                do {
                    result = .success(
                        try await follow(connection, change) { backoff.reset() })
                } catch {
                    result = .failure(error)
                }
                await connection.close()
                try result.get()
            } catch let error as BusError where error.code != .cancelled {
                note(BusServices(error), change)
            } catch {
                // Cancelled.
            }
            try? await time.sleep(for: backoff.wait())
        }
    }

    private func follow(
        _ connection: BusConnection, _ change: AsyncStream<Void>.Continuation,
        isConnected: () -> Void
    ) async throws {
        let names = [BusServices.login, BusServices.proxy, GeoClueConnector.service]
        while true {
            // Services that start later have another unique name, and so other rules.
            var matches = names.map { BusMatch.owner(of: $0) }
            if let login = try await BusServices.service(BusServices.login, on: connection) {
                matches.append(login.match("\(BusServices.login).Manager", at: nil))
            }
            if let proxy = try await BusServices.service(BusServices.proxy, on: connection) {
                matches.append(proxy.match(BusService.properties, at: nil))
            }
            // The rules are in effect before what they report is read, so that no change is missed.
            var signals = connection.signals(matches).makeAsyncIterator()
            note(try await look(connection), change)
            isConnected()
            while true {
                guard let signal = try await signals.next() else { throw CancellationError() }
                note(try await look(connection), change)
                if signal.member == "NameOwnerChanged" { break }
            }
        }
    }

    private func look(_ connection: BusConnection) async throws(BusError) -> BusServices {
        try await BusServices(connection, user: user, asksGeoClue: usesGeoClue)
    }

    private func note(_ found: BusServices, _ change: AsyncStream<Void>.Continuation) {
        let isNew = state.withLock { state in
            defer { state = found }
            return state != found
        }
        if isNew { change.yield() }
    }
}
