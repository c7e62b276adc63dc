import Auth
import DBus
import Foundation
import Text

/// Whether messages of apps can be shown on the desktop.
struct DesktopCheck: DoctorCheck {
    let name = "desktop"

    func findings(_ context: DoctorContext) async -> [Finding] {
        guard let address = DesktopMessages.address(in: ProcessInfo.processInfo.environment) else {
            return [
                note(
                    "There is no session bus: messages of apps are shown in terminals and logs only."
                )
            ]
        }
        do throws(DesktopError) {
            let server = try await DesktopMessages(address: address).serverName()
            return [fine("messages are shown by \(server.escapedForDisplay(limit: 60))")]
        } catch {
            return [
                note(
                    "\(error.message.escapedForDisplay(limit: 200)) Messages of apps are shown in"
                        + " terminals and logs only.")
            ]
        }
    }
}
