/// The picture of a condition, by the numbers that OpenWeather gives conditions.
///
/// Source: https://openweathermap.org/weather-conditions, whose groups these are.
public enum WeatherIcon: String, Hashable, Sendable, CaseIterable, Codable {
    case thunderstorm, rain, snow, fog, sun, cloud

    /// - Parameter condition: 200 to 299 thunderstorm, 300 to 599 rain and drizzle, 600 to 699 snow, 700
    ///   to 799 fog and dust, 800 a clear sky; anything else is a cloud.
    public init(condition: Int) {
        switch condition {
        case 200..<300: self = .thunderstorm
        case 300..<600: self = .rain
        case 600..<700: self = .snow
        case 700..<800: self = .fog
        case 800: self = .sun
        default: self = .cloud
        }
    }
}
