"""What the host and its apps can do within both units, under systemd."""

import re
import unittest

from container import BUILD, ROOT, Container

PAGE = (ROOT / "docs/service.md").read_text()
EXAMPLES = re.findall(r"^```ini (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
# The command of the page, without a terminal.
AS_SERVICE = re.search(r"^nervous-system\(\) \{\n.*?^\}\n", PAGE, re.MULTILINE | re.DOTALL)[0]
PACK = """{
  "id": "temperature.probe", "title": "Probe", "fields": [{ "name": "temp", "from": "t" }],
  "source": { "kind": "command", "every": "1s", "command": ["sh", "/srv/probe.sh"] },
  "payload": { "format": "key-value" }
}"""

# Writes where it should not be able to, and where it should.
PROBE = """
cd ~/.local/share/nervous
touch ~/probe /etc/probe /tmp/probe data
unshare --user touch new
cat /srv/port >port
echo t: 5
"""


def example(unit, setting):
    """The exceptions of the page that contain a setting."""
    return next(lines for name, lines in EXAMPLES if name == unit and setting in lines)


STEPS = f"""
{AS_SERVICE.replace("sudo ", "").replace("--pty", "--pipe")}
echo port >/srv/port; chgrp dialout /srv/port; chmod 640 /srv/port
step start owner systemctl --user start nervous
step state owner systemctl --user is-active nervous
step process cat /proc/$(owner systemctl --user show --property=MainPID --value nervous)/status
step install owner nervous install /repository/jsapps/hello-sensors
step run owner nervous run hello-sensors --allow-all
step watch owner nervous install /repository/jsapps/load-watch
owner nervous permissions grant load-watch sensor:cpu
step background owner nervous run load-watch --background
step pack owner nervous sensors install /srv/probe.json --yes
await test -s /home/owner/.local/share/nervous/port
step written find /home/owner /etc/probe /tmp -name probe -o -name data -o -name port -o -name new
step port cat /home/owner/.local/share/nervous/port
step doctor owner nervous doctor confinement escapes data host
step reload owner systemctl --user reload nervous
mkdir -p /home/owner/.config/nervous; echo '{{"budget": 5}}' >/home/owner/.config/nervous/config.json
step wrong owner systemctl --user reload nervous
kill -HUP $(owner systemctl --user show --property=MainPID --value nervous)
is_logged() {{ journalctl --no-pager _UID=1500 | grep -q "Nothing was changed"; }}
await is_logged
step after owner systemctl --user is-active nervous
step journal journalctl --no-pager _UID=1500
rm /home/owner/.config/nervous/config.json
step restart owner systemctl --user restart nervous
is_running() {{ owner nervous apps | grep -q "running, background"; }}
await is_running
step resumed owner nervous apps
step stop owner systemctl --user stop nervous
step stopped owner systemctl --user show --property=Result,ActiveState nervous
install -D /srv/relaxed.conf /home/owner/.config/systemd/user/nervous.service.d/relaxed.conf
owner systemctl --user daemon-reload
step relaxed owner systemctl --user start nervous
step severity journalctl --no-pager _UID=1500 --priority=err --identifier=nervous
owner systemctl --user stop nervous
install -D /srv/watchdog.conf /home/owner/.config/systemd/user/nervous.service.d/watchdog.conf
owner systemctl --user daemon-reload
owner systemctl --user reset-failed nervous
owner systemctl --user start nervous
sleep 20
step watched owner systemctl --user show --property=NRestarts,StatusText nervous
kill -STOP $(owner systemctl --user show --property=MainPID --value nervous)
is_restarted() {{ owner systemctl --user show --property=NRestarts,ActiveState nervous | grep -q "NRestarts=1"; }}
await is_restarted
step restarted owner systemctl --user show --property=NRestarts nervous
owner systemctl --user stop nervous

step system systemctl start nervous-system
step system-state systemctl show --property=ActiveState,User nervous-system
step system-process cat /proc/$(systemctl show --property=MainPID --value nervous-system)/status
step system-status nervous-system status
step system-install nervous-system install /repository/jsapps/hello-sensors
step system-run nervous-system run hello-sensors --allow-all
step system-reload systemctl reload nervous-system
step system-files stat --format='%A %U %n' /var/lib/nervous/ /var/lib/nervous/samples.sqlite /run/nervous
step system-root env XDG_RUNTIME_DIR=/run nervous status --data /var/lib/nervous
install -D /srv/serial.conf /etc/systemd/system/nervous-system.service.d/serial.conf
install -D /srv/password.conf /etc/systemd/system/nervous-system.service.d/password.conf
install -D -m 600 /srv/password /etc/nervous/mqtt-password
systemctl daemon-reload
step serial systemctl restart nervous-system
process=$(systemctl show --property=MainPID --value nervous-system)
step serial-groups grep ^Groups: /proc/$process/status
step password nsenter --target $process --mount --user --setuid=$(stat -c %u /proc/$process) \\
  cat /run/credentials/nervous-system.service/mqtt
step system-stop systemctl stop nervous-system
step last true
"""


@unittest.skipUnless((BUILD / "nervous").exists(), f"needs the programs in {BUILD}")
class ServiceTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.container = Container()
        cls.addClassCleanup(cls.container.close)
        for unit, folder in [("nervous.service", "user"), ("nervous-system.service", "system")]:
            text = (ROOT / "Scripts" / unit).read_text().replace("@PREFIX@", "/prefix")
            cls.container.write(f"etc/systemd/{folder}/{unit}", text)
        for app in ["hello-sensors", "load-watch"]:
            for file in (ROOT / "jsapps" / app).rglob("*"):
                if file.is_file():
                    path = file.relative_to(ROOT)
                    (cls.container.root / "repository" / path).parent.mkdir(parents=True, exist_ok=True)
                    (cls.container.root / "repository" / path).write_bytes(file.read_bytes())
        cls.container.write("srv/probe.json", PACK)
        cls.container.write("srv/probe.sh", PROBE)
        cls.container.write("srv/watchdog.conf", "[Service]\nWatchdogSec=8\nRestartSec=100ms\n")
        cls.container.write("srv/relaxed.conf", example("nervous.service", "PrivateUsers=no"))
        cls.container.write("srv/serial.conf", example("nervous-system.service", "char-ttyUSB"))
        cls.container.write("srv/password.conf", example("nervous-system.service", "LoadCredential="))
        cls.container.write("srv/password", "secret of the broker\n")
        cls.container.run(STEPS)

    def succeeds(self, *steps):
        for step in steps:
            self.assertEqual(self.container.code(step), 0, f"{step}: {self.container.text(step)}")

    def facts(self, step):
        """The lines `Name: value` of a process."""
        return dict(re.findall(r"^(\w+):\s+(.*)$", self.container.text(step), re.MULTILINE))

    def test_the_host_of_a_person_starts_and_stops(self):
        self.succeeds("start", "state", "restart", "stop")
        self.assertEqual(set(self.container.text("stopped").split()), {"Result=success", "ActiveState=inactive"})

    def test_no_capability_is_left_and_none_can_be_gained(self):
        for step in ["process", "system-process"]:
            facts = self.facts(step)
            for name in ["CapPrm", "CapEff", "CapBnd", "CapAmb"]:
                self.assertEqual(int(facts[name], 16), 0, f"{step} {name}")
            self.assertEqual((facts["NoNewPrivs"], facts["Seccomp"]), ("1", "2"))

    def test_apps_run_confined_within_both_units(self):
        self.succeeds("install", "run", "system-install", "system-run", "doctor")
        for step in ["run", "system-run"]:
            self.assertIn("processor:", self.container.text(step))
        self.assertRegex(self.container.text("doctor"), r"\b(\d+) of \1 escape attempts are blocked")

    def test_a_background_run_is_resumed_after_a_restart(self):
        self.succeeds("watch", "background", "resumed")
        self.assertRegex(self.container.text("resumed"), r"load-watch +running, background")

    def test_only_the_data_directory_can_be_written(self):
        self.succeeds("pack")
        data = "/home/owner/.local/share/nervous"
        written = set(self.container.text("written").split())
        self.assertIn(f"{data}/data", written)
        self.assertEqual(written & {"/home/owner/probe", "/etc/probe", "/tmp/probe"}, set())
        self.assertNotIn(f"{data}/new", written)

    def test_groups_of_the_owner_still_open_devices(self):
        self.assertEqual(self.container.text("port"), "port\n")

    def test_a_wrong_configuration_is_reported_by_reload_and_changes_nothing(self):
        self.succeeds("reload", "after", "system-reload")
        self.assertNotEqual(self.container.code("wrong"), 0)
        self.assertIn("config.json:1:2:", self.container.text("journal"))

    def test_errors_have_their_severity_in_the_journal(self):
        lines = self.container.text("severity")
        self.assertIn("Nothing was changed", self.container.text("journal"))
        self.assertIn("Nothing was changed", lines)
        self.assertNotIn("Serving at", lines)

    def test_a_host_that_hangs_is_restarted_and_no_other(self):
        self.assertIn("NRestarts=0", self.container.text("watched"))
        self.assertIn("StatusText=Serving at http://localhost:8080/", self.container.text("watched"))
        self.assertIn("NRestarts=1", self.container.text("restarted"))

    def test_the_journal_has_no_lines_about_threads(self):
        lines = [
            line for line in self.container.text("journal").splitlines()
            if "thread priority" in line and "nervous[" in line]
        process = self.facts("process")["Pid"]
        self.assertEqual([line for line in lines if f"nervous[{process}]" in line], [])

    def test_without_user_namespaces_the_example_of_the_page_helps(self):
        self.succeeds("relaxed")

    def test_the_host_of_a_machine_has_a_user_of_its_own(self):
        self.succeeds("system", "system-status", "system-stop")
        self.assertIn("ActiveState=active", self.container.text("system-state"))
        self.assertIn("Serving at http://localhost:8080/", self.container.text("system-status"))
        self.assertEqual(self.container.text("system-files").splitlines(), [
            "drwx------ nervous /var/lib/nervous/", "-rw------- nervous /var/lib/nervous/samples.sqlite",
            "drwx------ nervous /run/nervous"])
        self.assertNotEqual(self.container.code("system-root"), 0)
        self.assertIn("another user", self.container.text("system-root"))

    def test_the_examples_give_a_group_and_a_password(self):
        self.succeeds("serial", "password")
        self.assertIn("20", self.container.text("serial-groups").split())
        self.assertEqual(self.container.text("password"), "secret of the broker\n")


if __name__ == "__main__":
    unittest.main()
