import Addresses
import Health
public import Samples
import Sealing

extension PrivilegeID {
    /// What it can reveal about the owner, in the host's words: a clause that completes “that can reveal”.
    ///
    /// Prompts, the API and the dashboard show this text and have none of their own.
    public var disclosure: String { PrivilegeWords(self).reveals }

    /// A short form of ``disclosure`` for small terminals, at most 28 characters.
    public var briefRevelation: String { PrivilegeWords(self).brief }

    fileprivate static func disclosure(of origin: WebOrigin) -> String {
        switch origin.host.reach {
        case .internet, .forbidden:
            "everything that it may read here, which it can send there; and your IP address"
        case .ownNetwork:
            "the data of a device in your network, which the app may also control"
        case .ownMachine:
            "the data of a program on this machine, which the app may also control"
        }
    }

    fileprivate static func briefRevelation(of origin: WebOrigin) -> String {
        switch origin.host.reach {
        case .internet, .forbidden: "all it may read can go there"
        case .ownNetwork: "a device in your network"
        case .ownMachine: "a program on this machine"
        }
    }
}

/// The information about the owner that a kind of sensor can reveal, in the host's words.
public struct SensorFamily: Sendable {
    /// A short form for small terminals, at most 28 characters of ASCII.
    public let brief: String
    /// A clause that completes “that can reveal”.
    public let reveals: String
    /// Whether its sensors tell where the owner is, which statistics tell as well as samples.
    public let isPlace: Bool

    /// The family of a sensor, which depends on its kind only.
    public init(of sensor: SensorID) {
        let kind = sensor.description.prefix { $0 != "." }
        self = Self.known[String(kind)] ?? Self.unknown
    }

    private init(_ brief: String, _ reveals: String, isPlace: Bool = false) {
        self.brief = brief
        self.reveals = reveals
        self.isPlace = isPlace
    }

    private static let unknown = SensorFamily(
        "habits, over time",
        "your habits: this sensor is unknown, and any regular readings reveal a pattern of life"
    )

    private static let use = SensorFamily(
        "when you use the machine",
        "when you use the machine, how hard it works, and so when you are present")
    private static let heat = SensorFamily(
        "when the machine is in use",
        "when the machine works hard, and so when you use it, and how warm the room is")
    private static let programs = SensorFamily(
        "programs coming and going", "when programs start and end, and so often which programs")
    private static let traffic = SensorFamily(
        "being online, calls, films",
        "when you are online, and from the amounts whether you call, watch or browse")
    private static let motion = SensorFamily(
        "typing, gait, being at home",
        "what you type, how you walk and travel, and whether you are at home")
    private static let air = SensorFamily(
        "rooms, windows, being home",
        "which room you are in, when windows open, and whether someone is at home")
    private static let place = SensorFamily(
        "where you live, work and go",
        "where you live, work and sleep, which way you go, and whom you may have met",
        isPlace: true)
    private static let sound = SensorFamily(
        "what is said near it", "what is said near the machine, who is there and when")

    private static let known: [String: SensorFamily] = [
        "cpu": use, "load": use, "pressure": use, "cpu-modes": use, "cpu-frequency": use,
        "kernel": SensorFamily(
            "typing, use, programs",
            "when you type and move the mouse, how hard the machine works, and so what you do"),
        "cpu-power": SensorFamily(
            "use, even what is computed",
            "when you use the machine, and at short intervals even what programs compute"),
        "gpu": SensorFamily(
            "games, films, screen use",
            "when you play, watch or work at the screen, and so often which programs"),
        "uptime": SensorFamily(
            "when it was started", "when the machine was started, and so when you began"),
        "clock-offset": SensorFamily(
            "how right the clock is", "how right the clock is, which can identify the machine"),
        "memory": programs, "processes": programs,
        "raid": SensorFamily(
            "failing disks", "which disks the machine has and when one fails"),
        "disk": SensorFamily(
            "when you work with files", "when you read and save files, and how large they are"),
        "filesystem": SensorFamily(
            "how much you keep, and when",
            "how much you keep and when it grows, and which disks are in use"
        ),
        "network": traffic,
        "wifi-signal": SensorFamily(
            "moving, being near home",
            "when the machine is moved and how far it is from the access point, and at short"
                + " intervals when someone walks by"),
        "tcp": traffic, "udp": traffic,
        "thermal": heat, "hwmon": heat,
        "battery": SensorFamily(
            "charging, travel, use", "when you charge, carry and use the machine, and so your day"),
        "battery-health": SensorFamily(
            "how old the battery is", "how old and worn the battery is"),
        "ups": SensorFamily(
            "power failures", "when the power fails, and how much the machine and others use"),
        "backlight": SensorFamily(
            "presence, screens, daylight",
            "when you are at the screen, and from an automatic brightness how bright the room is"),
        "power": SensorFamily(
            "when it is plugged in", "when the machine is plugged in, and so when you travel"),
        "session": SensorFamily(
            "when you are at the machine", "when you come, leave and pause, and so your day"),
        "lid": SensorFamily("when the lid is open", "when you open and close the machine"),
        "orientation": SensorFamily(
            "how you hold the machine", "when you turn, carry and use the machine"),
        "compass": SensorFamily("which way you face", "which way you and the machine face"),
        "accelerometer": motion, "gyroscope": motion,
        "magnetometer": SensorFamily(
            "direction, rooms",
            "which way you face and, by their magnetic traces, which rooms you enter"),
        "light": SensorFamily(
            "presence, sleep, screens",
            "whether you are in the room, when you sleep, and roughly what a screen shows"),
        "proximity": SensorFamily("who is at the machine", "when someone is at the machine"),
        "temperature": air, "humidity": air,
        "barometer": SensorFamily(
            "floor, height, weather",
            "on which floor and how high you are, and from the weather roughly where"),
        "activity": SensorFamily(
            "when you walk, ride or rest",
            "when you walk, run, ride, drive and rest, and from that your day"),
        "vibration": motion,
        "altitude": SensorFamily(
            "floor, stairs, height", "on which floor you are and when you climb or travel"),
        "satellites": SensorFamily(
            "being in or out of doors", "whether you are in the open, and when you go out"),
        "location-quality": SensorFamily(
            "being in or out of doors, climbing",
            "whether you are in the open, and when you climb or descend"),
        "gps-time": SensorFamily(
            "the exact time", "when the receiver has a fix, and so when you are in the open"),
        "steps": SensorFamily(
            "when and how you walk", "when and how much you walk, and from that your day"),
        "location": place, "gps": place, "gnss": place, "position": place,
        "wifi": place, "bluetooth": place, "beacon": place,
        "sound": sound, "microphone": sound, "noise": sound,
        "camera": SensorFamily("what is in front of it", "what and who is in front of the machine"),
        "heart-rate": SensorFamily(
            "health, effort, sleep", "your health, effort, sleep and excitement"),
    ]
}

/// The uses that a privilege permits and the information that they can reveal, in the host's words.
public struct PrivilegeWords: Sendable {
    /// What the app wants, as a prompt states it.
    public let request: String
    /// What the app may do with it, as a list states it.
    public let meaning: String
    /// What it can reveal about the owner.
    public let reveals: String
    /// A short form of at most 28 characters.
    public let brief: String

    /// The words of a privilege.
    public init(_ privilege: PrivilegeID) {
        switch privilege {
        case .sensor(let sensor, let access): self = PrivilegeWords(sensor, access)
        case .server(let origin):
            request = "to call \(origin)"
            meaning = "call \(origin)"
            reveals = PrivilegeID.disclosure(of: origin)
            brief = PrivilegeID.briefRevelation(of: origin)
        case .net:
            request = "to call every server"
            meaning = "call every server"
            reveals = "everything that it may read here, which it can send anywhere"
            brief = "all it may read can go out"
        case .secret(let name, let origin):
            request = "to use your secret \(name) in calls to \(origin)"
            meaning = "use the secret \(name) in calls to \(origin), without seeing it"
            reveals =
                "the secret to \(origin), in calls that the app chooses; the app sees it only if that"
                + " server sends it back"
            brief = "that server gets the secret"
        case .storage:
            request = "to store data on this machine"
            meaning = "store data"
            reveals =
                "nothing new; but it can keep what it learns by other means, up to 10 MiB, until you"
                + " uninstall the app or forget its data"
            brief = "nothing new; it remembers"
        case .notify:
            request = "to send you messages"
            meaning = "send you messages"
            reveals = "nothing; but it can interrupt you with its own text"
            brief = "nothing; it can disturb you"
        case .sessions(.read):
            request = "to see all your sessions"
            meaning = "see all sessions: names, notes, sensors and times"
            reveals =
                "when you walked, trained and travelled, and your names and notes; the samples of a"
                + " session need privileges of their own"
            brief = "when you train or travel"
        case .sessions(.write):
            request = "to record sessions, and to see, change and delete its own"
            meaning = "record sessions, and see, change and delete its own"
            reveals = "nothing; the samples of a session need privileges of their own"
            brief = "nothing; it records sessions"
        case .health(let type, let access): self = PrivilegeWords(type, access)
        case .identity:
            request = "a random number that identifies this machine"
            meaning = "recognize this machine by a random number"
            reveals = "that it is the same machine at every run"
            brief = "that it is you again"
        }
    }

    private init(_ sensor: SensorID, _ access: Access) {
        let family = SensorFamily(of: sensor)
        switch access {
        case .raw:
            request = "every sample of \(sensor)"
            meaning = "read every sample of \(sensor)"
            (brief, reveals) = (family.brief, family.reveals)
        case .stats:
            request = "statistics of \(sensor), never a sample"
            meaning = "read statistics of \(sensor), no samples"
            (brief, reveals) = (family.brief, family.reveals)
        case .write:
            request = "to publish samples of \(sensor)"
            meaning = "publish samples of \(sensor)"
            brief = "nothing to the app"
            reveals =
                "nothing to the app; but everyone who reads the sensor gets the samples of the app"
        }
    }

    /// The words of a privilege of the health store.
    init(_ type: HealthType, _ access: HealthAccess) {
        let name = type.title.prefix(1).lowercased() + type.title.dropFirst()
        switch access {
        case .read:
            request = "to read your health data: \(name)"
            meaning = "read health data: \(name)"
            (brief, reveals) = Self.revelation(of: type.family)
        case .write:
            request = "to save health data: \(name)"
            meaning = "save health data: \(name), and delete what it saved"
            brief = "nothing; it adds data"
            reveals = "nothing to the app; but apps that read this type get what the app saves"
        }
    }

    private static func revelation(of family: HealthType.Family) -> (String, String) {
        switch family {
        case .person: ("who you are", "who you are, and facts about your body that do not change")
        case .vital:
            ("health, effort, sleep", "your health, illnesses, effort, sleep and excitement")
        case .body: ("weight, diet, health", "how your body changes, and so your diet and health")
        case .activity:
            ("when and how you move", "when, how and how much you move, and from that your day")
        case .rest: ("when you sleep and rest", "when and how well you sleep and rest")
        case .nutrition: ("what you eat and drink", "how much you eat and drink, and when")
        }
    }
}
