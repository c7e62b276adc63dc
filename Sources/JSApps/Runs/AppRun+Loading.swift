import RunnerProtocol

extension AppRun {
    /// Hands the runner its budget and its scripts, the app's last.
    func load() async {
        let address = "http://\(origin.host)/"
        let budget = configuration.budget
        let shown = configuration.presentation
        var first =
            configuration.time.map {
                [HostFrame.time(start: UInt64(clamping: $0.start), seed: $0.seed)]
            } ?? []
        first += [
            .limits(wall: budget.turn.wholeMilliseconds, cpu: budget.turnCPU.wholeMilliseconds),
            .present(text: shown.showsText, markup: shown.showsMarkup),
            .load(name: "nervous:environment", source: "location = \"\(address)\";"),
        ]
        if let lifetime = shown.lifetime { first.append(.lifetime(lifetime.wholeMilliseconds)) }
        let (others, app) = frames
        _ = await send(first + others + (configuration.starter == nil ? app : []) + [.loaded])
    }

    /// What is loaded before the app, and what starts it.
    var frames: (others: [HostFrame], app: [HostFrame]) {
        let scripts = configuration.scripts.map {
            HostFrame.load(name: $0.name, source: $0.source)
        }
        if let page = configuration.page { return (scripts, [.page(name: page)]) }
        return (Array(scripts.dropLast()), Array(scripts.suffix(1)))
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: UInt32 {
        let (seconds, attoseconds) = components
        return UInt32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}
