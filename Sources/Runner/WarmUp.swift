/// What an app might use that makes the engine open a file or start a thread the first time.
enum WarmUp {
    static let script = """
        {
            const now = new Date(0);
            now.getTimezoneOffset();
            String(now);
            now.toLocaleString();
            new Intl.DateTimeFormat("en", { timeZone: "Europe/Zurich" }).format(now);
            new Intl.NumberFormat("en").format(1.5);
            "a".localeCompare("b");
            "a".normalize("NFD");
            Math.random();
            /a/.test("a");
        }
        """
}
