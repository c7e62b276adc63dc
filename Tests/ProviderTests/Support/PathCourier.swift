import Addresses
import Egress

/// Servers that take what is sent to `/taken`, refuse what is sent to `/refused` and are down otherwise.
struct PathCourier: Courier {
    func bring(_ parcel: Parcel, id: String, token: String?) async -> Reply {
        switch parcel.address.target {
        case "/taken": .answered(201)
        case "/refused": .answered(403)
        default: .failed("\(parcel.address.origin) cannot be reached.")
        }
    }
}
