import Foundation
import TestSupport
import Testing

/// The dashboard link and the command in the error of a refused read.
@Suite(.blocking, .serialized) struct SettingsPageTests {
    @Test
    func `the error of a refused read has a link and a command, after which the read succeeds`()
        throws
    {
        let host = try PublishedHost("hello-world-master")
        let app = try AppFolder(host.sandbox, "asks-again")
        try app.set("1.0.0", asks: #"[{"sensor": "accelerometer", "reason": "Shows what moves"}]"#)
        try app.write(
            "app.html", "<!doctype html><script src=/nervous.js></script><p>A page of its own")
        #expect(try host.sandbox.nervous("install", app.path).code == 0)
        #expect(
            try host.sandbox.nervous("permissions", "deny", app.name, "sensor:accelerometer").code
                == 0)
        let browser = try Browser(host.sandbox)
        try browser.open(try host.link(app.name))
        let refused = try browser.settle(
            """
            return nervous.sensor("accelerometer").latest()
              .then(() => "read", ({ name, fix, settings }) => [name, fix, settings].join("|"));
            """
        ).split(separator: "|").map(String.init)
        #expect(refused.first == "NotAllowedError")
        let link = try #require(refused.last)
        #expect(link == host.host.url("/apps/asks-again"))
        #expect(try browser.run("return JSON.stringify(nervous.openSettings())").contains(link))
        // `openSettings` opens the dashboard's page in another tab, so the app's page stays open; the
        // link leads to that page.
        #expect(try host.sandbox.curl("-H", "Accept: text/html", link).status == 200)
        #expect(refused[1] == "Ask the owner to allow sensor:accelerometer.")
        #expect(
            try host.sandbox.nervous("permissions", "grant", app.name, "sensor:accelerometer").code
                == 0)
        let read = try browser.settle(
            "return (await nervous.sensor('accelerometer').latest()).z")
        #expect(read == "9.5")
    }

    @Test func `a page uses the host's sensors, and the browser's battery if the host has none`()
        throws
    {
        let host = try PublishedHost("hello-world-master")
        let app = try AppFolder(host.sandbox, "web-sensors")
        try app.set(
            "1.0.0",
            asks:
                #"[{"sensor": "accelerometer", "reason": "a"}, {"sensor": "location", "reason": "b"}]"#
        )
        try app.write("app.html", "<!doctype html><script src=/nervous.js></script>")
        #expect(try host.sandbox.nervous("install", app.path).code == 0)
        try host.allow(app.name, "sensor:accelerometer")
        let browser = try Browser(host.sandbox)
        try browser.open(try host.link(app.name))
        let reading = try browser.settle(
            """
            const sensor = new Accelerometer({ frequency: 10 });
            return await new Promise((resolve, reject) => {
              sensor.onreading = () => {
                resolve([sensor.x, sensor.y, sensor.z, sensor.timestamp <= performance.now()].join());
                sensor.stop();
              };
              sensor.onerror = ({ error }) => reject(error);
              sensor.start();
            });
            """)
        #expect(reading == "1,-2,9.5,true")
        let missing = try browser.settle(
            """
            const sensor = new AmbientLightSensor();
            return await new Promise((resolve) => {
              sensor.onerror = ({ error }) => resolve(error.name);
              sensor.start();
            });
            """)
        #expect(missing == "NotReadableError")
        // The browser's own API is used for sensors that the host lacks.
        #expect(
            try browser.settle("return typeof (await navigator.getBattery()).level") == "number")
        #expect(
            try browser.settle(
                "return (await navigator.permissions.query({ name: 'accelerometer' })).state")
                == "granted")
        #expect(
            try browser.settle(
                "return (await navigator.permissions.query({ name: 'notifications' })).name")
                == "notifications")
    }
}
