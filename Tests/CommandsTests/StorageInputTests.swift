import Testing

@testable import Commands

struct StorageInputTests {
    @Test(
        arguments: [
            ("0", 0), ("17", 17), ("17B", 17), ("500MB", 500_000_000), ("5gb", 5_000_000_000),
            ("10GiB", 10 << 30), ("1TiB", 1 << 40), ("9223372036854775807", .max),
        ] as [(String, Int64)])
    func `a size is a number and a unit`(text: String, bytes: Int64) {
        #expect(StorageInput.bytes(text) == bytes)
    }

    @Test(arguments: [
        "", "MB", "-1", "1.5GB", "1 GB", "5XB", "9223372036854775808", "9223372036854775807kB", "٣",
    ])
    func `any other text is not a size`(text: String) {
        #expect(StorageInput.bytes(text) == nil)
    }

    @Test(arguments: [
        ("30d", "30d"), ("48h", "2d"), ("2w", "14d"), ("5y", "1825d"), ("0d", "0us"),
        ("90m", "90m"), ("1000y", "365000d"),
    ])
    func `an age is a duration, also in weeks and years`(text: String, span: String) {
        #expect(StorageInput.age(text) == span)
    }

    @Test(arguments: ["", "y", "-1y", "1.5y", "1001y", "5 y", "soon", "5Y", "1x"])
    func `any other text is not an age`(text: String) {
        #expect(StorageInput.age(text) == nil)
    }
}
