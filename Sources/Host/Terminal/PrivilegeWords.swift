import Auth

/// What a privilege other than a sensor's gives an app and tells it, in the host's words.
struct PrivilegeWords {
    /// What it gives.
    let wish: String
    /// What it tells about the person.
    let reveals: String
    /// The same in at most 28 characters.
    let brief: String

    init(_ privilege: PrivilegeID) {
        switch privilege {
        case .storage:
            wish = "to keep data of its own on this machine"
            reveals =
                "nothing new; but what it learns elsewhere it can remember, up to 10 MiB, until you"
                + " remove the app or forget it"
            brief = "nothing new; it remembers"
        case .notify:
            wish = "to send you messages"
            reveals = "nothing; but it can call for your attention, in its own words"
            brief = "nothing; it can disturb you"
        default:
            wish = "a made-up number that stands for this machine"
            reveals = "that it is the same machine as before, at every run"
            brief = "that it is you again"
        }
    }
}
