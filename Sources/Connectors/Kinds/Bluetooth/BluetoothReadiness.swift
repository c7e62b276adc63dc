import DBus
import Foundation

/// Whether this machine can reach devices over Bluetooth.
public enum BluetoothReadiness {
    /// Asks BlueZ on the system bus that the environment names; changes nothing and starts nothing.
    ///
    /// - Returns: the name of an adapter that is on.
    /// - Throws: ``BluetoothProblem``.
    public static func adapter() async throws(BluetoothProblem) -> String {
        try await adapter(bus: BusAddress.system(in: ProcessInfo.processInfo.environment))
    }

    /// - Returns: the name of an adapter that is on.
    /// - Throws: ``BluetoothProblem``.
    static func adapter(bus: String) async throws(BluetoothProblem) -> String {
        do {
            let bluez = try await BlueZ(bus: bus)
            let result: Result<BlueZTree.Adapter, any Error>
            do {
                result = .success(try await bluez.objects().adapter(named: nil))
            } catch {
                result = .failure(error)
            }
            await bluez.close()
            return try result.get().name
        } catch let problem as BluetoothProblem {
            throw problem
        } catch {
            throw .noBus("\(error)")
        }
    }
}
