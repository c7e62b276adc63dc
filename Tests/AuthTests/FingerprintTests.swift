import Auth
import Testing

struct FingerprintTests {
    @Test func `a fingerprint is the SHA-256 in hexadecimal`() {
        #expect(
            Fingerprint.sha256(Array("abc".utf8))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }
}
