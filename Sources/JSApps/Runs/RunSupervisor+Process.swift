import Auth
import RunnerProtocol

extension RunSupervisor {
    /// One process of a run, from its start to its end.
    func process(
        _ id: String, isInsecure: Bool, presentation: RunPresentation = RunPresentation(),
        rehearsal: Rehearsal? = nil,
        _ onEvent: @escaping @Sendable (RunEvent) async -> Void
    ) async throws -> RunOutcome {
        guard let report = reports[id], let token = tokens[id], let connection else {
            throw JSAppsError.noRun(id)
        }
        let app = try await library.app(named: report.app)
        // Another app under the name must not run with what was decided for this one.
        guard app.identity == identities[id] else {
            throw JSAppsError(
                .conflict, "The app ‘\(app.name)’ was replaced since the run was prepared.")
        }
        var configuration = try await configuration(of: app, token: token.text)
        configuration.presentation = presentation
        configuration.time = time
        if let rehearsal {
            configuration.scripts.insert(contentsOf: rehearsal.scripts, at: prelude.count)
            configuration.starter = rehearsal.starter
        }
        let budget = budget(report.app)
        configuration.budget = budget
        let runner =
            isInsecure
            ? try await RunnerProcess.startUnconfined(path: runnerPath)
            : try await pool.runner(for: budget)
        let run = AppRun(configuration, process: runner, connection: connection) { event in
            await self.note(event, of: id)
            await onEvent(event)
        }
        reports[id]?.state = .running
        processes[id] = run
        await authority.log.note(.runBegan(of: report.app, run: id))
        let renewing = Task { await renew(id) }
        let (outcome, usage) = await run.run()
        renewing.cancel()
        processes[id] = nil
        reports[id]?.usage.add(usage)
        let samples = await authority.log.samples(givenTo: id)
        reports[id]?.usage.samples = samples
        await note(outcome, of: id, report.app)
        if !outcome.isOrdinary { await pool.renew() }
        return outcome
    }

    /// What an app's page loads of its own is run by the page; else its script runs alone.
    private func configuration(
        of app: InstalledApp, token: String
    ) async throws -> RunConfiguration {
        let (script, page) = (app.generation.script, app.generation.page)
        let code = try await library.contents(of: script, in: app)
        guard let source = String(validating: code, as: UTF8.self),
            code.count < FrameLimits.frame - FrameLimits.text
        else {
            throw JSAppsError(
                .damaged, "The script of ‘\(app.name)’ is not UTF-8, or is too large to run.",
                hint: "Ask its author for another version.")
        }
        var configuration = RunConfiguration(app: app.name.text, token: token, scripts: prelude)
        configuration.libraries = libraries
        let markup = try await library.contents(of: page, in: app)
        let isOfPage = PageScripts(in: markup).load(script)
        if isOfPage, libraries[.document] != nil {
            configuration.page = page
            return configuration
        }
        if isOfPage {
            let lack = RunLibraries.lack(of: .document)
            configuration.notices.append("\(page) does not run, \(script) runs alone: \(lack).")
        }
        configuration.scripts.append(RunScript(name: script, source: source))
        return configuration
    }

    /// Keeps the token of a run alive until cancelled.
    private func renew(_ id: String) async {
        while (try? await Task.sleep(for: .seconds(600))) != nil {
            try? await authority.renewRun(id)
        }
    }

    private func note(_ event: RunEvent, of id: String) {
        switch event {
        case .started(let layers): reports[id]?.layers = layers
        // They are for who watches, and too large to be kept.
        case .view, .markup: return
        default: break
        }
        lines[id, default: RecentEvents()].add(event)
    }

    /// Tells the access log how a process of a run ended.
    private func note(_ outcome: RunOutcome, of id: String, _ app: String) async {
        let log = authority.log
        switch outcome {
        case .exceeded, .sandboxViolation, .protocolViolation:
            await log.note(.violation(of: app, run: id, what: outcome.name))
        default: break
        }
        await log.note(.runEnded(of: app, run: id, outcome: outcome.name))
    }
}
