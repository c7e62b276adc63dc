import Auth
import Testing
import Text

struct SchemaValidatorTests {
    private static func faults(_ value: String, _ schema: String) throws -> Int {
        let root = try StrictJSON().parse(
            Array(##"{"a": {"type": "string"}, "s": \##(schema)}"##.utf8))
        let value = try StrictJSON().parse(Array(value.utf8))
        return SchemaValidator(root: root).faults(of: value, by: try #require(root["s"])).count
    }

    @Test(arguments: [
        ("1", #"{"type": "integer"}"#), ("1.5", #"{"type": "number"}"#),
        ("null", #"{"type": ["number", "null"]}"#), (#""x""#, ##"{"$ref": "#/a"}"##),
        (#"{"x": 1}"#, #"{"required": ["x"], "properties": {"x": {"type": "number"}}}"#),
        ("[1, 2]", #"{"items": {"type": "integer"}}"#), (#""b""#, #"{"enum": ["a", "b"]}"#),
        (#"{"x": 1}"#, #"{"additionalProperties": {"type": "integer"}}"#),
        (#""ab""#, #"{"pattern": "^a"}"#), ("2", #"{"minimum": 2}"#),
        ("1", #"{"oneOf": [{"type": "string"}, {"type": "integer"}]}"#),
    ])
    func `a valid value has no fault`(value: String, schema: String) throws {
        #expect(try Self.faults(value, schema) == 0)
    }

    @Test(arguments: [
        ("1.5", #"{"type": "integer"}"#), ("true", #"{"type": "number"}"#),
        (#""""#, #"{"type": ["number", "null"]}"#), ("1", ##"{"$ref": "#/a"}"##),
        ("1", ##"{"$ref": "#/nowhere"}"##), ("{}", #"{"required": ["x"]}"#),
        (#"{"x": "1"}"#, #"{"properties": {"x": {"type": "number"}}}"#),
        (#"{"x": 1}"#, #"{"additionalProperties": false}"#),
        (#"{"x": 1, "y": "2"}"#, #"{"additionalProperties": {"type": "integer"}}"#),
        (#"[1, "2"]"#, #"{"items": {"type": "integer"}}"#), (#""c""#, #"{"enum": ["a", "b"]}"#),
        (#""ba""#, #"{"pattern": "^a"}"#), ("1", #"{"minimum": 2}"#), ("1", #"{"maximum": 2}"#),
        ("1", #"{"oneOf": [{"type": "string"}, {"type": "null"}]}"#),
        ("1", #"{"oneOf": [{"type": "number"}, {"type": "integer"}]}"#),
    ])
    func `an invalid value is reported`(value: String, schema: String) throws {
        #expect(try Self.faults(value, schema) == 1)
    }
}
