App.load('home');
var failures = 0;
setInterval(function() {
	failures++;
	if (failures <= 2) $('#count').html(failures);
	JSON.lat.stringify(failures);
}, 1000);
