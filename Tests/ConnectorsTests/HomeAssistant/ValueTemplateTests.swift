import Ingest
import Samples
import Testing

@testable import Connectors

struct ValueTemplateTests {
    @Test(arguments: [
        ("{{ value }}", nil), ("{{value}}", nil), (" {{- value -}} ", nil),
        ("{{ value_json.temperature }}", "$.temperature"), ("{{ value_json.a.b }}", "$.a.b"),
        ("{{ value_json['ENERGY'].Power }}", "$['ENERGY'].Power"),
        ("{{ value_json.values[2] }}", "$.values[2]"),
        ("{{ value | float }}", "{{ value | float }}"),
    ])
    func `the name shows what is read`(template: String, name: String?) throws {
        #expect(try ValueTemplate(template).name == name)
    }

    /// The results are those of Jinja 3.1 with the filters of Home Assistant.
    @Test(arguments: [
        ("{{ value_json.t }}", #"{"t": 21.5}"#, "21.5"),
        ("{{ value_json.t | float | round(1) }}", #"{"t": "21.25"}"#, "21.2"),
        ("{{ value | round(2) }}", "2.675", "2.67"), ("{{ value | int }}", "-7.9", "-7"),
        ("{{ value | int(base=16) }}", "ff", "255"), ("{{ float(value, 0) }}", "?", "0"),
        ("{{ ((float(value) * 99)|round(0)) + 1 }}", "0.5", "51"),
        ("{{ value_json['x'] if value_json['x'] is defined else 0 }}", "{}", "0"),
        ("{{ value_json.x | default('none yet') }}", "{}", "none yet"),
        (
            "{{ value_json.x | default('',True) | string | truncate(6, True, '', 0) }}",
            #"{"x": "abcdefgh"}"#, "abcdef"
        ),
        ("{{ value_json.get('x', 3) }}", "{}", "3"), ("{{ value_json.x | is_defined }}", "{}", nil),
        ("{{ value_json.a.b }}", "{}", nil), ("{{ value_json.a }}", "{}", nil),
        ("{{ value_json.a }}", #"{"a": null}"#, nil), ("{{ value_json.a }}", "text", nil),
        ("{{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 7 / 2 }} {{ 2 ** 3 }}", "", "3 -4 2 3.5 8"),
        ("{{ 'a' ~ 1 ~ true }}", "", "a1True"), ("{{ 1 < 2 < 3 and not 0 }}", "", "True"),
        ("{{ value in ['on', 'off'] }}", "on", "True"), ("{{ 1 == true }}", "", "True"),
        ("{% if value == 'x' %}1{% elif value|int > 5 %}2{% else %}3{% endif %}", "7", "2"),
        ("{% set m = {'0': 'off', '1': 'on'} %}{{ m[value] }}", "1", "on"),
        ("{{ value.split(',')[1] | trim }}", "a, b", "b"), ("{{ value[1:-1] }}", "(42)", "42"),
        ("{{ value_json.0.x }}", #"[{"x": 1}]"#, "1"), ("{{ -3 | abs }}", "", "3"),
        ("{{ value | replace(',', '.') | float }}", "23,5", "23.5"),
        ("{{ value | multiply(0.1) | round(1) }}", "215", "21.5"),
        ("{{ iif(value == 'on', 1, 0) }}", "on", "1"), ("{{ is_number(value) }}", "1e3", "True"),
        ("{{ value | float }}", "n/a", nil), ("{{ 1 / 0 }}", "", nil),
        ("{{ value + 1 }}", "1", nil),
        ("{{ 9223372036854775807 // -1 }}", "", "-9223372036854775807"),
    ])
    func `values are those of Jinja`(template: String, message: String, expected: String?) throws {
        let input = try #require(TemplateInput(Array(message.utf8)))
        let value: String? =
            switch try ValueTemplate(template).value(of: input) {
            case nil: nil
            case .integer(let integer)?: "\(integer)"
            case .number(let number)?: "\(number)"
            case .text(let text)?: text
            }
        #expect(value == expected)
    }

    @Test(arguments: [
        ("{{ states('sensor.x') }}", "the function states"), ("{{ now() }}", "the function now"),
        ("{{ value | from_json }}", "the filter from_json"),
        ("{% for x in value %}{{ x }}{% endfor %}", "the statement for"),
        ("{{ trigger }}", "the variable trigger"), ("{{ value.format(1) }}", "the method format"),
        ("{{ value_json['a' }}", "unexpected end"), ("{{ value", "{{ without }}"),
        ("{% if value %}1", "if without endif"), ("{{ value is prime }}", "the test prime"),
        ("{{ }}", "unexpected end"), ("{{ 'a }}", "{{ without }}"), ("{{ value ! }}", "‘!’"),
    ])
    func `what is not supported is named`(template: String, name: String) {
        let error = #expect(throws: PayloadError.self) { _ = try ValueTemplate(template) }
        #expect(error?.message.contains(name) == true)
    }

    @Test func `templates are bounded in length, depth and number of steps`() {
        let deep = String(repeating: "(", count: 1000) + "1" + String(repeating: ")", count: 1000)
        let long = "{{ value" + String(repeating: " + 1", count: 600) + " }}"
        let large = "{{ value }}" + String(repeating: " ", count: ValueTemplate.limit)
        for template in ["{{ \(deep) }}", long, large] {
            #expect(throws: PayloadError.self) { _ = try ValueTemplate(template) }
        }
    }

    @Test func `texts cannot grow without limit`() throws {
        let text = String(repeating: "a", count: 60_000)
        let template = try ValueTemplate("{{ value | replace('a', 'bbbbbbbbbbbbbbbb') }}")
        let input = try #require(TemplateInput(Array(text.utf8)))
        #expect(template.value(of: input) == nil)
    }
}
