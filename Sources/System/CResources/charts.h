/* The files of charts.js in order, as the elements of an array: each has one idea. */
#embed "../../Provider/Resources/dashboard/charts/settings.js"
,
#embed "../../Provider/Resources/dashboard/charts/points.js"
,
#embed "../../Provider/Resources/dashboard/charts/ticks.js"
,
#embed "../../Provider/Resources/dashboard/charts/frame.js"
,
#embed "../../Provider/Resources/dashboard/charts/line.js"
,
#embed "../../Provider/Resources/dashboard/charts/table.js"
,
#embed "../../Provider/Resources/dashboard/charts/reading.js"
,
#embed "../../Provider/Resources/dashboard/charts/picture.js"
,
#embed "../../Provider/Resources/dashboard/charts/input.js"
,
#embed "../../Provider/Resources/dashboard/charts/chart.js"
,
#embed "../../Provider/Resources/dashboard/charts/histogram.js"
