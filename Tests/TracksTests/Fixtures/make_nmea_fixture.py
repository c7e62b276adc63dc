#!/usr/bin/env python3
"""Writes walk.nmea and walk.json: a receiver's sentences over midnight and what they say.

Run from this folder: python3 make_nmea_fixture.py
Degrees, checksums and times are computed here, by other code than Nervous's.
"""

import json
from datetime import datetime, timedelta, timezone
from functools import reduce


def sentence(body):
    return f"${body}*{reduce(lambda a, b: a ^ ord(b), body, 0):02X}\r\n"


def angle(value, digits, signs):
    sign = signs[0] if value >= 0 else signs[1]
    value = abs(value)
    return f"{int(value):0{digits}d}{value % 1 * 60:08.5f},{sign}"


start = datetime(2026, 12, 31, 23, 59, 50, tzinfo=timezone.utc)
lines, fixes = [], []
for number in range(30):
    time = start + timedelta(seconds=number)
    latitude, longitude = -33.86 + number * 1e-4, 151.2 - number * 1e-4
    clock, date = time.strftime("%H%M%S.00"), time.strftime("%d%m%y")
    place = f"{angle(latitude, 2, 'NS')},{angle(longitude, 3, 'EW')}"
    valid = not 10 <= number < 13
    dilution = 0.8 + number / 100
    status, quality, mode = ("A", 1, 3) if valid else ("V", 0, 1)
    where = place if valid else ",,,"
    lines.append(sentence(
        f"GPGGA,{clock},{where},{quality},08,{dilution:.2f},{40 + number / 10:.1f},M,22.0,M,,"))
    lines.append(sentence(f"GNGSA,A,{mode},01,02,03,04,,,,,,,,,1.80,{dilution:.2f},1.50"))
    lines.append(sentence(f"GPRMC,{clock},{status},{where},2.50,323.1,{date},,,A"))
    lines.append(sentence("GPVTG,323.1,T,,M,2.50,N,4.63,K,A"))
    lines.append(sentence("GPGSV,1,1,01,01,40,083,46"))
    fixes.append({
        "milliseconds": time.timestamp() * 1000, "isValid": valid, "latitude": latitude,
        "longitude": longitude, "altitude": 40 + number / 10,
        "accuracy": round(dilution, 2) * 5, "speed": 2.5 * 1852 / 3600})
with open("walk.nmea", "w", newline="") as file:
    file.writelines(lines)
with open("walk.json", "w") as file:
    json.dump(fixes, file, indent=0)
    file.write("\n")
