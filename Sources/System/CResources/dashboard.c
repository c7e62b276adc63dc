#include "CResources.h"

static const unsigned char index_html[] = {
#embed "../../Provider/Resources/dashboard/index.html"
};

static const unsigned char activity_js[] = {
#embed "../../Provider/Resources/dashboard/activity.js"
};

static const unsigned char alerts_js[] = {
#embed "../../Provider/Resources/dashboard/alerts.js"
};

static const unsigned char app_js[] = {
#embed "../../Provider/Resources/dashboard/app.js"
};

static const unsigned char apps_js[] = {
#embed "../../Provider/Resources/dashboard/apps.js"
};

static const unsigned char begin_js[] = {
#embed "../../Provider/Resources/dashboard/begin.js"
};

/* One module, so that a page needs one request for it. */
static const unsigned char charts_js[] = {
#include "charts.h"
};

static const unsigned char columns_js[] = {
#embed "../../Provider/Resources/dashboard/columns.js"
};

static const unsigned char dashboard_css[] = {
#embed "../../Provider/Resources/dashboard/dashboard.css"
};

/* What every page needs, and the overview, with the charts: the other pages are modules of their own. */
static const unsigned char dashboard_js[] = {
#include "charts.h"
,
#embed "../../Provider/Resources/dashboard/core/texts.js"
,
#embed "../../Provider/Resources/dashboard/core/elements.js"
,
#embed "../../Provider/Resources/dashboard/core/format.js"
,
#embed "../../Provider/Resources/dashboard/core/session.js"
,
#embed "../../Provider/Resources/dashboard/core/live.js"
,
#embed "../../Provider/Resources/dashboard/core/frame.js"
,
#embed "../../Provider/Resources/dashboard/core/request-strip.js"
,
#embed "../../Provider/Resources/dashboard/core/router.js"
,
#embed "../../Provider/Resources/dashboard/core/sensors.js"
,
#embed "../../Provider/Resources/dashboard/core/recent.js"
,
#embed "../../Provider/Resources/dashboard/core/overview.js"
,
#embed "../../Provider/Resources/dashboard/core/start.js"
};

static const unsigned char install_js[] = {
#embed "../../Provider/Resources/dashboard/install.js"
};

static const unsigned char key_lock_js[] = {
#embed "../../Provider/Resources/dashboard/key-lock.js"
};

static const unsigned char machine_js[] = {
#embed "../../Provider/Resources/dashboard/machine.js"
};

static const unsigned char page_texts_js[] = {
#embed "../../Provider/Resources/dashboard/page-texts.js"
};

static const unsigned char parts_js[] = {
#embed "../../Provider/Resources/dashboard/parts.js"
};

static const unsigned char phones_js[] = {
#embed "../../Provider/Resources/dashboard/phones.js"
};

static const unsigned char programs_js[] = {
#embed "../../Provider/Resources/dashboard/programs.js"
};

static const unsigned char requests_js[] = {
#embed "../../Provider/Resources/dashboard/requests.js"
};

static const unsigned char route_js[] = {
#embed "../../Provider/Resources/dashboard/route.js"
};

static const unsigned char runs_js[] = {
#embed "../../Provider/Resources/dashboard/runs.js"
};

static const unsigned char sensor_settings_js[] = {
#embed "../../Provider/Resources/dashboard/sensor-settings.js"
};

static const unsigned char sensor_texts_js[] = {
#embed "../../Provider/Resources/dashboard/sensor-texts.js"
};

static const unsigned char sensor_js[] = {
#embed "../../Provider/Resources/dashboard/sensor.js"
};

static const unsigned char sessions_js[] = {
#embed "../../Provider/Resources/dashboard/sessions.js"
};

static const unsigned char tiles_js[] = {
#embed "../../Provider/Resources/dashboard/tiles.js"
};

#define FILE(name, content) {name, {content, sizeof content}}

static const struct named_file files[] = {
    FILE("index.html", index_html),
    FILE("activity.js", activity_js),
    FILE("alerts.js", alerts_js),
    FILE("app.js", app_js),
    FILE("apps.js", apps_js),
    FILE("begin.js", begin_js),
    FILE("charts.js", charts_js),
    FILE("columns.js", columns_js),
    FILE("dashboard.css", dashboard_css),
    FILE("dashboard.js", dashboard_js),
    FILE("install.js", install_js),
    FILE("key-lock.js", key_lock_js),
    FILE("machine.js", machine_js),
    FILE("page-texts.js", page_texts_js),
    FILE("parts.js", parts_js),
    FILE("phones.js", phones_js),
    FILE("programs.js", programs_js),
    FILE("requests.js", requests_js),
    FILE("route.js", route_js),
    FILE("runs.js", runs_js),
    FILE("sensor-settings.js", sensor_settings_js),
    FILE("sensor-texts.js", sensor_texts_js),
    FILE("sensor.js", sensor_js),
    FILE("sessions.js", sessions_js),
    FILE("tiles.js", tiles_js),
};

struct named_files dashboard_files(void) {
    return (struct named_files) {files, sizeof files / sizeof files[0]};
}
