#include "CResources.h"

struct embedded_file template_package_json(void) {
    static const unsigned char bytes[] = {
#embed "../../JSApps/Skeleton/Template/package.json"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file template_app_js(void) {
    static const unsigned char bytes[] = {
#embed "../../JSApps/Skeleton/Template/app.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file template_app_html(void) {
    static const unsigned char bytes[] = {
#embed "../../JSApps/Skeleton/Template/app.html"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file template_page_js(void) {
    static const unsigned char bytes[] = {
#embed "../../JSApps/Skeleton/Template/page.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file template_app_test_js(void) {
    static const unsigned char bytes[] = {
#embed "../../JSApps/Skeleton/Template/app.test.js"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}

struct embedded_file template_test_d_ts(void) {
    static const unsigned char bytes[] = {
#embed "../../JSApps/Skeleton/Template/nervous-test.d.ts"
    };
    return (struct embedded_file) {bytes, sizeof bytes};
}
