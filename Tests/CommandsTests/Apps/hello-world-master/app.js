(function(){
	$('#my-output').append("JS API " + Nervous.getJSAPIVersion());

	$.when(Nervous.getHWAPIVersion()).done(function(data){
		$('#my-output').append(", host API " + data.version);
	});

	setInterval(function(){
		Nervous.getGyr().done(function(data){
			$('#gyrodata').html("X:" + data.x + " Y:" + data.y + " Z:" + data.z);
		});
	}, 200);

	App.load('home');
})();
