(function(){

	//call the UI page "home"
	App.load('home');

	var api = "http://localhost:8080/nervousnet-api";
	var ticks = 0;

	function tick() {
		$.getJSON(api + "/raw-sensor-data/Accelerometer", function(data) {
			$("#value").html(data.accX + " " + data.y + " " + data.accZ);
			ticks++;
			if (ticks <= 3) $("#ticks").html(ticks);
		});
		setTimeout(tick, 200);
	}

	var answer = $.ajax({ url: api + "/raw-sensor-data/Accelerometer", async: false, dataType: "json" });
	$("#sync").html(answer.status + " " + answer.responseJSON.x);

	$.getJSON(api + "/historic-sensor-data", { axon: "Accelerometer", start: 0, end: 4102444800000 }, function(rows) {
		var last = rows[rows.length - 1];
		$("#history").html((last.timestamp > 1000000000000) + " " + last.accX);
	});

	$.getJSON(api + "/raw-sensor-data/Camera").fail(function(xhr) {
		$("#unknown").html(xhr.status);
	});

	$.getJSON(api + "/raw-sensor-data/:sensor").fail(function(xhr) {
		$("#literal").html(xhr.status);
	});

	$.post(api + "/log", JSON.stringify({ hello: "host" })).done(function() {
		$("#log").html("written");
	});

	$.getJSON(api + "/deviceid", function(data) {
		$("#number").html(data.uuid.length + " characters");
	});

	tick();

})();
