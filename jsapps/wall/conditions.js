// The icon of a condition, by the numbers of OpenWeather: https://openweathermap.org/weather-conditions

const GROUPS = [
  [200, 299, "thunderstorm"], [300, 599, "rain"], [600, 699, "snow"], [700, 799, "fog"], [800, 800, "sun"],
];

/** The name of the icon; anything that is in no group is a cloud. */
export const iconOf = (condition) => GROUPS.find(([first, last]) => condition >= first && condition <= last)?.[2] ?? "cloud";

const WORDS = { thunderstorm: "Thunderstorm", rain: "Rain", snow: "Snow", fog: "Fog", sun: "Clear", cloud: "Clouds" };

/** What an icon means. */
export const wordOf = (icon) => WORDS[icon] ?? "Unknown";
