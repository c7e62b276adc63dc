/// What an app might use that makes the engine open a file the first time.
///
/// Time zones are read from files, random numbers from a device; all else that the language offers
/// comes from the engine's libraries, which are loaded.
enum WarmUp {
    static let script = """
        {
            const now = new Date(0);
            now.getTimezoneOffset();
            String(now);
            Math.random();
        }
        """
}
