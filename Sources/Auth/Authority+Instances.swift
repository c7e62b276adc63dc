public import Samples

/// Kinds of which the person chose some instances.
extension Authority {
    /// The sensor that a client means by a name: the one that the person chose for it, where the name
    /// is that of a kind and one was chosen; else the sensor of that name.
    public func sensor(
        meantBy name: SensorID, for access: Access, by client: Client
    ) -> SensorID {
        guard client.kind != .owner else { return name }
        return permissions.sensor(meantBy: name, for: access, by: client, at: now())
    }

    /// The same for whatever the client may do with it: what it may read goes before what it may write.
    public func sensor(meantBy name: SensorID, by client: Client) -> SensorID {
        [Access.raw, .stats, .write].lazy
            .map { self.sensor(meantBy: name, for: $0, by: client) }
            .first { $0 != name } ?? name
    }

    /// Whether the person did not choose a sensor for a client that may use others of its kind, and
    /// decided nothing else about it.
    public func isPassedOver(_ sensor: SensorID, for client: Client) -> Bool {
        guard client.kind != .owner, permission(of: client, for: sensor) == nil else {
            return false
        }
        return permissions.all(of: client.name).contains { record in
            record.privilege.sensor?.covers(sensor) == true
                && (record.run == nil || record.run == client.run)
                && record.opinion(on: sensor) == .passedOver
        }
    }

    /// The sensors that came after the person had chosen among those of a kind, and that nobody has
    /// decided about: they are asked for as if the app declared each.
    ///
    /// - Parameters:
    ///   - declared: what the app declares.
    ///   - present: the sensors of the machine.
    public func newcomers(
        to declared: Privilege, of app: String, among present: [SensorID]
    ) -> [SensorID] {
        guard let kind = declared.id.sensor, let access = declared.id.access else { return [] }
        let hasChosen = permissions.all(of: app).contains { record in
            record.run == nil && record.privilege == declared.id && record.terms?.only != nil
                && !record.isExpired(at: now())
        }
        guard hasChosen else { return [] }
        return present.filter { sensor in
            let one = Privilege(.sensor(sensor, access), reason: "")
            return kind.covers(sensor) && sensor != kind && !undecided([one], by: app).isEmpty
        }
    }

    /// What a client wants, about the sensor that it means.
    func meant(_ request: AccessRequest, by client: Client) -> AccessRequest {
        request.about(sensor(meantBy: request.sensor, for: request.access, by: client))
    }
}
