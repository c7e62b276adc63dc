import Foundation
import TestSupport
import Testing

/// Libraries of Debian packages, each in a page of its own.
@Suite(.blocking)
struct LibraryPageTests {
    struct Library: CustomTestStringConvertible, Sendable {
        /// Below `/usr/share/javascript`.
        let file: String
        let package: String
        let markup: String
        let script: String
        let lines: [String]

        var testDescription: String { package }
    }

    @Test(arguments: libraries)
    func `a library runs in a headless page`(_ library: Library) throws {
        let path = "/usr/share/javascript/\(library.file)"
        guard let source = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw RunnerProcess.Failure(
                "\(library.package) is missing: run Scripts/setup --for-tests")
        }
        let run = try PageRun([
            "library.js": source,
            "app.html": """
            <!DOCTYPE html><body>\(library.markup)<script src="library.js"></script>
            <script>\(library.script)</script>
            """,
        ])
        #expect(run.lines.starts(with: library.lines), "\(run.lines)")
        #expect(run.errors.isEmpty && run.run.end == .exit(0))
    }

    private static let libraries = [
        Library(
            file: "chart.js/chart.min.js", package: "libjs-chart.js",
            markup: "<canvas id='chart'></canvas>",
            script: """
                const chart = new Chart(document.getElementById("chart").getContext("2d"), {
                    type: "line", data: { labels: ["a", "b"], datasets: [{ label: "x", data: [1, 2] }] },
                    options: { animation: false, responsive: false },
                });
                chart.data.datasets[0].data.push(3);
                chart.update();
                console.log(chart.getDatasetMeta(0).data.length, chart.scales.y.max);
                """, lines: ["3 3"]),
        Library(
            file: "d3/d3.js", package: "libjs-d3", markup: "<svg id='drawing'></svg>",
            script: """
                d3.select("#drawing").selectAll("circle").data([1, 2, 3]).enter().append("circle")
                    .attr("r", String).on("click", (size) => console.log("clicked", size));
                const drawing = document.querySelector("svg");
                console.log(drawing.querySelectorAll("circle").length, d3.mean([1, 2, 3]), drawing.lastChild.getAttribute("r"));
                drawing.firstChild.dispatchEvent(new MouseEvent("click"));
                """, lines: ["3 2 3", "clicked 1"]),
        Library(
            file: "leaflet/leaflet.js", package: "libjs-leaflet",
            markup: "<div id='map' style='height: 100px'></div>",
            script: """
                const map = L.map("map").setView([47, 8], 5);
                L.marker([47, 8]).addTo(map).bindPopup("<b>here</b>").openPopup();
                L.polyline([[47, 8], [48, 9]]).addTo(map);
                console.log(map.getZoom(), document.querySelectorAll(".leaflet-marker-icon").length,
                    document.querySelector(".leaflet-popup-content").innerHTML);
                """, lines: ["5 1 <b>here</b>"]),
        Library(
            file: "vue/vue.js", package: "libjs-vue",
            markup: """
                <div id='app'><p v-for='x in list'>{{ x }}</p><button @click='list.push(3)'>add</button>
                <input v-model='name'><i>{{ name }}</i></div>
                """,
            script: """
                Vue.config.productionTip = Vue.config.devtools = false;
                new Vue({ el: "#app", data: { list: [1, 2], name: "n" } });
                const count = () => document.querySelectorAll("p").length;
                console.log(count());
                document.querySelector("button").click();
                const input = document.querySelector("input");
                input.value = "typed";
                input.dispatchEvent(new Event("input"));
                Vue.nextTick(() => console.log(count(), document.querySelector("i").textContent));
                """, lines: ["2", "3 typed"]),
        Library(
            file: "angular.js/angular.js", package: "libjs-angularjs",
            markup: """
                <div ng-app='app' ng-controller='list'><p ng-repeat='x in list'>{{x}}</p>
                <button ng-click='add()'>add</button><input ng-model='name'><i>{{name}}</i></div>
                """,
            script: """
                angular.module("app", []).controller("list", ($scope) => {
                    Object.assign($scope, { list: [1, 2], name: "n", add: () => $scope.list.push(3) });
                });
                const count = () => document.querySelectorAll("p").length;
                addEventListener("load", () => setTimeout(() => {
                    console.log(count());
                    document.querySelector("button").click();
                    const input = document.querySelector("input");
                    input.value = "typed";
                    input.dispatchEvent(new Event("input"));
                    input.dispatchEvent(new Event("change"));
                    console.log(count(), document.querySelector("i").textContent);
                }));
                """, lines: ["2", "3 typed"]),
        Library(
            file: "moment/moment.js", package: "libjs-moment", markup: "",
            script: """
                console.log(moment.utc("2020-02-29T12:00:00Z").add(1, "year").format("YYYY-MM-DD dddd"),
                    moment.duration(90, "minutes").humanize());
                """, lines: ["2021-02-28 Sunday 2 hours"]),
        Library(
            file: "lodash/lodash.js", package: "libjs-lodash", markup: "<p></p>",
            script: """
                const p = document.querySelector("p");
                console.log(_.chunk([1, 2, 3], 2).length, _.isElement(p), _.isPlainObject(p), _.template("<%= a %>!")({ a: 1 }));
                """, lines: ["2 true false 1!"]),
        Library(
            file: "three/three.js", package: "libjs-three", markup: "",
            script: """
                const scene = new THREE.Scene();
                const box = new THREE.Mesh(new THREE.BoxGeometry(1, 2, 3), new THREE.MeshBasicMaterial());
                scene.add(box);
                box.rotation.y = Math.PI / 2;
                box.updateMatrixWorld();
                console.log(scene.children.length, new THREE.Vector3(1, 0, 0).applyMatrix4(box.matrixWorld).z.toFixed(2),
                    new THREE.Box3().setFromObject(box).getSize(new THREE.Vector3()).x.toFixed(1));
                """, lines: ["1 -1.00 3.0"]),
        Library(
            file: "marked/marked.min.js", package: "libjs-marked", markup: "<div></div>",
            script: """
                const out = document.querySelector("div");
                out.innerHTML = marked.parse("# Title\\n\\n* a\\n* **b**");
                console.log(out.querySelector("h1").textContent, out.querySelectorAll("li > strong").length);
                """, lines: ["Title 1"]),
        Library(
            file: "katex/katex.js", package: "libjs-katex", markup: "<div></div>",
            script: """
                const out = document.querySelector("div");
                katex.render(String.raw`\\frac{a}{b}`, out);
                console.log(out.querySelectorAll(".mfrac").length, out.querySelector("math mfrac").children.length);
                """, lines: ["1 2"]),
        Library(
            file: "dygraphs/dygraph.js", package: "libjs-dygraphs",
            markup: "<div id='graph' style='width: 300px; height: 200px'></div>",
            script: """
                const graph = new Dygraph(document.getElementById("graph"), "Date,T\\n2020-01-01,1\\n2020-01-02,2\\n", {});
                graph.ready(() => console.log(graph.numRows(), graph.getLabels().join(), document.querySelectorAll("#graph canvas").length));
                """, lines: ["2 Date,T 2"]),
    ]
}
