extension Authority {
    /// Tells the person what an app says.
    ///
    /// - Throws: `invalidMessage` for what is none, `tooManyMessages` with the time to wait.
    public func tell(
        title: String, body: String?, tag: String?, from client: Client
    ) async throws(AuthError) {
        let message = try AppMessage(from: client, title: title, body: body, tag: tag)
        try await noticeBoard.post(message, at: now())
    }

    /// Whether a token is an owner's now; asking leaves no trace.
    public func isOwner(token: String?) -> Bool {
        guard let known = token.flatMap(tokens.find) else { return false }
        return known.client.kind == .owner && known.expires.map { now() < $0 } ?? true
    }
}
