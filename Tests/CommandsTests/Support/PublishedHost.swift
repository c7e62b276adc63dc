import Foundation
import TestSupport

/// A host that serves nervousnet apps, with the sensors of a laptop.
final class PublishedHost {
    let sandbox: Sandbox
    let host: ServingHost

    /// - Parameter apps: folders in `Apps` to install.
    convenience init(_ apps: String...) throws { try self.init(apps) }

    init(_ apps: [String]) throws {
        sandbox = try Sandbox()
        let sys = sandbox.path("sys")
        let devices = [
            [
                "name": "accel_3d", "in_accel_x_raw": "2", "in_accel_y_raw": "-4",
                "in_accel_z_raw": "19", "in_accel_scale": "0.5",
            ],
            [
                "name": "gyro_3d", "in_anglvel_x_raw": "1", "in_anglvel_y_raw": "2",
                "in_anglvel_z_raw": "-3", "in_anglvel_scale": "0.25",
            ],
        ]
        for (number, files) in devices.enumerated() {
            let folder = "\(sys)/bus/iio/devices/iio:device\(number)"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            for (name, text) in files {
                try (text + "\n").write(
                    toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
            }
        }
        host = try ServingHost(sandbox, ["--sys-root", sys])
        for app in apps {
            let made = try sandbox.nervous("install", "\(Self.folder)/\(app)")
            guard made.code == 0 else { throw Browser.Failure(description: made.errors) }
        }
        // The first samples for the page.
        for sensor in ["accelerometer", "gyroscope"] {
            try waitUntil { try sandbox.nervous("query", sensor).code == 0 }
        }
    }

    static let folder = Binary.repository + "/Tests/CommandsTests/Apps"

    func allow(_ app: String, _ privileges: String...) throws {
        for privilege in privileges {
            let made = try sandbox.nervous("permissions", "grant", app, privilege)
            guard made.code == 0 else { throw Browser.Failure(description: made.errors) }
        }
    }

    func deny(_ app: String, _ privilege: String) throws {
        let made = try sandbox.nervous("permissions", "deny", app, privilege)
        guard made.code == 0 else { throw Browser.Failure(description: made.errors) }
    }

    /// A link that opens the page of an app.
    func link(_ app: String) throws -> String {
        try sandbox.nervous("open", app).output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
