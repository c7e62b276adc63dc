import Alerts
import AppStorage
import Auth
package import Backup
import Health
import RunnerProtocol
import Sealing
import Sessions
import VM

extension DataFormats {
    /// The formats that this version reads and writes.
    package static var current: DataFormats {
        DataFormats(
            program: Release.version,
            databases: [
                "samples.sqlite": VirtualMachine.storeMigrations,
                "permissions.sqlite": Authority.migrations,
                "app-storage.sqlite": StorageDatabase.migrations,
                "sessions.sqlite": SessionBook.migrations,
                "health.sqlite": HealthStore.migrations,
                "alerts.sqlite": AlertEngine.migrations,
            ],
            files: [
                "declared-sensors.json": 1, "clock-offsets.json": 1,
                OwnerKeyFile.name: OwnerKeyFile.version, SecretStore.name: SecretStore.version,
                "runs/background.runs.json": 1,
            ])
    }
}
