import API
import Addresses
import AppRuns
import Auth
import Foundation
import JSApps
import Samples

extension AppDescription {
    init(
        _ app: InstalledApp, _ status: PrivilegeStatus,
        newSensors: [PrivilegeID: [SensorID]] = [:],
        signerName: String?, lastRun: RunReport?, budget: RunBudget,
        update: UpdateDescription? = nil
    ) {
        self.init(
            name: app.name.text, version: app.manifest.version, title: app.manifest.title,
            description: app.manifest.summary, author: app.manifest.author,
            license: app.manifest.license,
            installed: (app.index.installed.timeIntervalSince1970 * 1000).rounded(),
            fingerprint: app.index.contentSHA256, files: app.index.files.count,
            size: app.index.files.reduce(0) { $0 + $1.size },
            generation: app.generation.isPublished ? app.generation.rawValue : nil,
            publishedName: app.manifest.publishedName, folder: app.index.folder,
            signer: app.signer.map {
                Signer(key: $0.text, fingerprint: $0.fingerprint, name: signerName)
            }, updatedFrom: app.index.updatedFrom,
            privileges: app.manifest.privileges.map {
                DeclaredPrivilege($0, status, newSensors: newSensors[$0.id] ?? [])
            }, lastRun: lastRun.map { RunDescription($0) }, budget: BudgetDescription(budget),
            update: update)
    }
}

extension AppDescription.DeclaredPrivilege {
    init(_ privilege: Privilege, _ status: PrivilegeStatus, newSensors: [SensorID] = []) {
        let isUndecided = status.undecided.contains(privilege.id)
        let isDenied = status.denied.contains(privilege.id)
        let isExhausted = status.exhausted.contains(privilege.id)
        var pin: CertificatePin?
        if case .net(_, let own) = privilege.resource { pin = own }
        let access = privilege.id.access
        let isSupported = privilege.id.isGrantable
        self.init(
            privilege: privilege.id.description, sensor: privilege.id.sensor?.description,
            access: access?.rawValue, origin: privilege.id.origin?.description,
            pin: pin?.description, reason: privilege.reason,
            state: !isSupported || isDenied ? "denied" : isUndecided ? "prompt" : "granted",
            supported: isSupported, exhausted: isExhausted ? true : nil,
            restrictedBy: status.restricted[privilege.id]?.file,
            newSensors: newSensors.isEmpty ? nil : newSensors.map(\.description),
            reveals: isSupported ? privilege.id.disclosure : nil)
    }
}

extension UpdateDescription {
    /// - Returns: `nil` for a first installation.
    init?(_ installation: Installation, _ status: PrivilegeStatus) {
        guard let from = installation.updateCheck.previousVersion else { return nil }
        let declared = installation.app.manifest.privileges
        let change =
            status.change
            ?? DeclarationChange(from: installation.previous?.privileges ?? [], to: declared)
        self.init(
            kind: installation.updateCheck.kind.rawValue, from: from,
            reset: installation.updateCheck.reset?.rawValue,
            privileges: change.items.map { item in
                let isDeclared = item.kind != .removed
                let state = AppDescription.DeclaredPrivilege(item.privilege, status).state
                return Change(
                    privilege: item.privilege.id.description, change: item.kind.rawValue,
                    state: isDeclared ? state : nil)
            })
    }
}

extension BudgetDescription {
    init(_ budget: RunBudget) {
        self.init(
            turn: budget.turn / .milliseconds(1), turnCPU: budget.turnCPU / .milliseconds(1),
            cpu: budget.cpu / .milliseconds(1),
            cpuPerMinute: budget.cpuPerMinute / .milliseconds(1), memory: budget.memory,
            duration: budget.duration.map { $0 / .milliseconds(1) },
            callsPerMinute: budget.callsPerMinute, logPerMinute: budget.logPerMinute,
            fetch: Fetch(
                duration: budget.fetch.duration / .milliseconds(1),
                callsPerMinute: budget.fetch.callsPerMinute,
                callsAtOnce: budget.fetch.callsAtOnce, requestBytes: budget.fetch.requestBytes,
                answerBytes: budget.fetch.answerBytes))
    }
}
