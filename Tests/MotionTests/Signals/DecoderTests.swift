import Motion
import Samples
import Testing

struct DecoderTests {
    @Test(
        arguments: [
            ([0x01], DoorState.locked), (Array("1".utf8), .locked), (Array("0".utf8), .unlocked),
            ([0x00], .unlocked), ([0x02], .unlocked), (Array("11".utf8), .unlocked), ([], nil),
            ([0xFF], nil), ([0x31, 0xC3], nil), ([UInt8](repeating: 0x31, count: 513), nil),
        ] as [([UInt8], DoorState?)])
    func `the state of a lock is decoded from a byte or a text`(
        bytes: [UInt8], state: DoorState?
    ) {
        #expect(DoorState(bytes: bytes) == state)
    }

    @Test(
        arguments: [
            ("utf8-float", Array("97.7".utf8), Value.number(97.7)),
            ("utf8-float", Array(" 97.7 %\0".utf8), .number(97.7)),
            ("utf8-float", Array("97,7".utf8), nil), ("utf8-float", Array("nan".utf8), nil),
            ("utf8-float", Array("0x10".utf8), nil), ("utf8-float", Array("1e3".utf8), nil),
            ("utf8-float", [], nil), ("utf8-float", [0x31, 0xFF], nil),
            ("utf8-float", Array("%".utf8), nil), ("utf8-float", Array("1-2".utf8), nil),
            ("utf8", Array("Türe".utf8), .text("Türe")), ("utf8", [0x01], .text("\u{1}")),
            ("utf8", [0xC3], nil), ("u8", [0xFF], .integer(255)), ("s8", [0xFF], .integer(-1)),
            ("u8", [], nil), ("u8", [1, 2], nil), ("u16", [0x34, 0x12], .integer(0x1234)),
            ("s16/100", [0x9C, 0xFF], .number(-1)), ("s16/100", [0x2E, 0x09], .number(23.5)),
            ("u32", [0, 0, 0, 0x80], .integer(2_147_483_648)),
            ("s32", [0, 0, 0, 0x80], .integer(-2_147_483_648)),
            // IEEE 11073-20601: 36.4, and the special values that mean “no number”.
            ("float", [0x6C, 0x01, 0x00, 0xFF], .number(36.4)),
            ("float", [0xFF, 0xFF, 0x7F, 0x00], nil), ("float", [0x00, 0x00, 0x80, 0x00], nil),
            ("sfloat", [0x72, 0xF0], .number(11.4)), ("sfloat", [0x48, 0x00], .number(72)),
            ("sfloat", [0xFF, 0x07], nil), ("sfloat", [0x00, 0x08], nil),
            ("sfloat", [0xFE, 0x07], nil), ("sfloat", [0x02, 0x08], nil),
            ("lock", [0x01], .text("locked")), ("lock", [0x30], .text("unlocked")),
            ("lock", [], nil),
            ("sfloat", [0xFD, 0x07], .number(2045)), ("sfloat", [0x03, 0x08], .number(-2045)),
        ] as [(String, [UInt8], Value?)])
    func `bytes are decoded by their form, or rejected`(
        name: String, bytes: [UInt8], value: Value?
    ) throws {
        let decoder = try #require(CharacteristicDecoder(name))
        let found = decoder.decode(bytes)
        #expect(found == value)
        if let found { #expect(found.fits(decoder.kind)) }
    }

    @Test(arguments: [
        "", "u7", "u8/", "u8/0", "u8/-1", "u8/x", "utf8/2", "u8/2/3", "U8", "float/2", "lock/2",
    ])
    func `an unknown decoder is rejected`(name: String) {
        #expect(CharacteristicDecoder(name) == nil)
    }
}
