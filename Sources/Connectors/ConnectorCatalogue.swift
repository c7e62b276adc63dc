/// All built-in kinds of sources.
public enum ConnectorCatalogue {
    /// The kinds in the order of listings.
    public static let kinds: [any ConnectorKind.Type] = [
        SerialConnector.self, GPSDConnector.self, MQTTConnector.self, CommandConnector.self,
        PollConnector.self, BluetoothConnector.self, AdvertisementConnector.self,
        ReplayConnector.self,
        SimulatedConnector.self,
    ]
}
