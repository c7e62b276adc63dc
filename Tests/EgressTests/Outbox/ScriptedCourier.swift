import Addresses
import Egress
import Synchronization

/// A server that answers as a test says.
final class ScriptedCourier: Courier {
    /// One try.
    struct Visit: Equatable {
        let id: String
        let address: String
        let body: [UInt8]
        let token: String?
    }

    private let state: Mutex<(replies: [Reply], visits: [Visit])>

    /// - Parameter replies: one after the other; the last again and again.
    init(_ replies: [Reply]) { state = Mutex((replies, [])) }

    var visits: [Visit] { state.withLock { $0.visits } }

    func bring(_ parcel: Parcel, id: String, token: String?) async -> Reply {
        state.withLock { state in
            let address = parcel.address.description
            state.visits.append(
                Visit(id: id, address: address, body: parcel.body, token: token))
            return state.replies.count > 1 ? state.replies.removeFirst() : state.replies[0]
        }
    }
}
