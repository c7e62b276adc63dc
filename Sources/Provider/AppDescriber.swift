import API
import Auth
import JSApps
import Samples

/// Says what an installed app is, who signed it and how its privileges stand.
struct AppDescriber: Sendable {
    let authority: Authority
    let isGrantable: GrantableCheck
    let library: AppLibrary
    let supervisor: RunSupervisor

    func callAsFunction(_ app: InstalledApp) async -> AppDescription {
        await describe(app, await library.signerNames())
    }

    func callAsFunction(_ apps: [InstalledApp]) async -> [AppDescription] {
        let names = await library.signerNames()
        var items: [AppDescription] = []
        for app in apps { items.append(await describe(app, names)) }
        return items
    }

    /// An app that was just installed, or would be.
    func callAsFunction(
        _ installation: Installation, _ standing: Standing
    ) async -> AppDescription {
        let names = await library.signerNames()
        return AppDescription(
            installation.app, standing, signerName: installation.app.signer.flatMap { names[$0] },
            lastRun: await supervisor.lastRun(of: installation.app.name.text),
            budget: supervisor.budget(installation.app.name.text),
            update: UpdateDescription(installation, standing))
    }

    private func describe(
        _ app: InstalledApp, _ names: [SignerKey: String]
    ) async -> AppDescription {
        var newSensors: [PrivilegeID: [SensorID]] = [:]
        for privilege in app.manifest.privileges {
            newSensors[privilege.id] = await authority.newcomers(
                to: privilege, of: app.name.text,
                among: await isGrantable.instances(of: privilege.id))
        }
        return AppDescription(
            app, await authority.standing(of: app.declared), newSensors: newSensors,
            signerName: app.signer.flatMap { names[$0] },
            lastRun: await supervisor.lastRun(of: app.name.text),
            budget: supervisor.budget(app.name.text))
    }
}
