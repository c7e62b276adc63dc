import Samples

/// What is told to those who get nothing, and what the log has of it.
extension Authority {
    /// Refuses a token that nobody holds; beyond the limit without a line for each.
    func wrongToken(
        _ message: String, _ request: AccessRequest?, _ operation: String, hint: String? = nil
    ) async -> AuthError {
        switch attempts.count(at: now()) {
        case .counted:
            return await mismatch(
                .invalidToken, message, client: nil, request, operation, hint: hint)
        case .heldOff(let wait, let isFirst):
            let message = "More than \(AttemptLimit.attempts) wrong tokens came within a minute."
            // Whoever guesses must not fill the log either.
            if isFirst {
                await log.refuse(
                    request, operation: operation, client: nil, reason: message, isNotice: true)
                await noticeBoard.post(refusal: message, operation: operation, at: now())
            }
            return AuthError(
                .tooManyAttempts, message, hint: "Wait, then use a token that is valid.",
                retryAfter: wait)
        }
    }

    func mismatch(
        _ code: AuthError.Code, _ message: String, client: String?, _ request: AccessRequest?,
        _ operation: String, hint: String? = nil
    ) async -> AuthError {
        if request?.isContinuation != true {
            await log.refuse(
                request, operation: operation, client: client, reason: message, isNotice: true)
            await noticeBoard.post(refusal: message, operation: operation, at: now())
        }
        return AuthError(
            code, message,
            hint: hint ?? "Make a token with: nervous token create NAME --allow sensor:ID")
    }

    /// Why a client does not get what it asked of a sensor; the log has it.
    func refuse(
        _ request: AccessRequest, _ client: Client, _ code: AuthError.Code, _ message: String,
        hint: String? = nil
    ) async -> AuthError {
        await log.refuse(
            request, operation: request.operation, client: client.name, reason: message)
        return AuthError(
            code, message,
            hint: hint
                ?? "Allow it with: nervous permissions grant \(client.name) \(request.privilege)",
            privilege: request.privilege)
    }

    /// Why a client does not get what the person did not choose for it; the log has it.
    func elsewhere(
        _ request: AccessRequest, _ client: Client, _ privilege: PrivilegeID, _ chosen: [SensorID]
    ) async -> AuthError {
        let mine = chosen.filter(request.sensor.covers)
        guard mine.isEmpty else {
            return await refuse(
                request, client, .severalSensors,
                "\(request.sensor) stands for \(mine.count) sensors that \(client.name) may use.",
                hint: "Name one of them: "
                    + mine.map(\.description).joined(separator: ", "))
        }
        return await refuse(
            request, client, .denied,
            "You did not choose \(request.sensor) when you allowed \(privilege) to \(client.name).")
    }

    /// Why a client may not use what is no sensor; the log has it.
    func refuse(
        _ privilege: PrivilegeID, _ client: Client, operation: String, _ code: AuthError.Code,
        _ message: String, hint: String? = nil
    ) async -> AuthError {
        await log.refuse(
            nil, operation: operation, client: client.name, privilege: privilege, reason: message)
        return AuthError(
            code, message,
            hint: hint ?? "Allow it with: nervous permissions grant \(client.name) \(privilege)",
            privilege: privilege)
    }
}
