/// Every kind of source that comes with the program.
public enum ConnectorCatalogue {
    /// The kinds in the order in which they are told.
    public static let kinds: [any ConnectorKind.Type] = [
        SerialConnector.self, GPSDConnector.self, MQTTConnector.self, CommandConnector.self,
        PollConnector.self, BluetoothConnector.self, ReplayConnector.self, SimulatedConnector.self,
    ]
}
