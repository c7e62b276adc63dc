import Glibc

/// The part of a geodesic between two places, on Vincenty's auxiliary sphere.
struct GeodesicArc {
    /// The angle between the places: σ, its sine and its cosine.
    let arc: Double
    let sine: Double
    let cosine: Double
    /// The cosine of twice the angle from the equator to the middle: cos 2σₘ.
    let cosineMiddle: Double
    /// The square of the cosine of the azimuth at the equator: cos² α.
    let cosineSquaredAzimuth: Double

    /// How much longer the difference of longitudes is on the sphere, divided by sin α.
    var lag: Double {
        let f = Geodesy.flattening
        let squared = cosineSquaredAzimuth
        let c = f / 16 * squared * (4 + f * (4 - 3 * squared))
        let inner = cosineMiddle + c * cosine * (2 * cosineMiddle * cosineMiddle - 1)
        return (1 - c) * f * (arc + c * sine * inner)
    }

    /// In metres.
    var length: Double {
        let (a, b) = (Geodesy.equatorialRadius, Geodesy.polarRadius)
        let u2 = cosineSquaredAzimuth * (a * a - b * b) / (b * b)
        let scale = 1 + u2 / 16384 * (4096 + u2 * (-768 + u2 * (320 - 175 * u2)))
        let amount = u2 / 1024 * (256 + u2 * (-128 + u2 * (74 - 47 * u2)))
        let twice = 2 * cosineMiddle * cosineMiddle - 1
        let inner =
            cosine * twice - amount / 6 * cosineMiddle * (4 * sine * sine - 3)
            * (4 * cosineMiddle * cosineMiddle - 3)
        let correction = amount * sine * (cosineMiddle + amount / 4 * inner)
        return b * scale * (arc - correction)
    }
}
