#include "CResources.h"

struct embedded_file provider_nervous_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Provider/Resources/nervous.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file provider_generic_sensor_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Provider/Resources/generic-sensor.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file provider_navigator_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Provider/Resources/navigator.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file provider_nervous_d_ts(void) {
    static const unsigned char bytes[] = {
#embed "../../Provider/Resources/nervous.d.ts"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file provider_test_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Provider/Resources/test.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file provider_numeric_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Provider/Resources/numeric.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file provider_libs_js(void) {
    static const unsigned char bytes[] = {
#embed "../../Provider/Resources/libs.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file provider_styles_css(void) {
    static const unsigned char bytes[] = {
#embed "../../Provider/Resources/styles.css"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file provider_openapi_json(void) {
    static const unsigned char bytes[] = {
#embed "../../Provider/Resources/openapi.json"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}
