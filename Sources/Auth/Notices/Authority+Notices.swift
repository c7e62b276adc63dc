extension Authority {
    /// Tells the person what an app says.
    ///
    /// - Parameter unlessViewed: whether nothing is told while a page of the app is seen.
    /// - Throws: `invalidMessage` for what is none, `tooManyMessages` with the time to wait.
    public func tell(
        title: String, body: String?, tag: String?, unlessViewed: Bool = false, from client: Client
    ) async throws(AuthError) {
        let message = try AppMessage(from: client, title: title, body: body, tag: tag)
        guard !(unlessViewed && viewers.isViewed(client.name, at: now())) else { return }
        try await noticeBoard.post(message, at: now())
    }

    /// Notes whether a person sees a page of an app, or what a program shows, for the next half minute.
    public func note(_ client: Client, isVisible: Bool) {
        viewers.note(client, isVisible: isVisible, at: now())
    }

    /// Whether a token is an owner's now; asking leaves no trace.
    public func isOwner(token: String?) -> Bool {
        guard let known = token.flatMap(tokens.find) else { return false }
        return known.client.kind == .owner && known.expires.map { now() < $0 } ?? true
    }
}
