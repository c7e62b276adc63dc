/// What the programs are that belong together.
public enum Release {
    public static let version = "0.1.0"
}
