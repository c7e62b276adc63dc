import RunnerProtocol

extension Run {
    /// Tells the visible text when it has changed and was not told just now.
    func presentChange() {
        guard let due = presentation.due, due <= clock.now else { return }
        presentation.look(at: clock.now)
        presentText()
    }

    /// Tells what is left to tell of the page.
    func presentEnd() {
        if presentation.text { presentText() }
        if presentation.markup, let text = text(of: "markup") {
            send(.markup(text: whole(text, within: FrameLimits.markup)))
        }
        presentation = Presentation()
    }

    private func presentText() {
        guard let text = text(of: "view") else { return }
        send(.view(text: whole(text, within: FrameLimits.view)))
    }

    private func whole(_ text: String, within limit: Int) -> String {
        let (kept, more) = text.cut(atBytes: limit - 64)
        return more == 0 ? kept : "\(kept)… [\(more) more characters]"
    }
}
