App.controller('list', function(page, values) {
	for (var i = 1; i <= values.count; i++) $('ol').append('<li>entry ' + i + '</li>');
});

var clicks = 0;

function next(button) {
	clicks++;
	button.innerHTML = 'Next ' + clicks;
	App.load('end');
}

// The sum of a file of every byte that there is.
function sum() {
	var call = new XMLHttpRequest();
	call.open('GET', 'noise.bin');
	call.responseType = 'arraybuffer';
	call.onload = function() {
		var bytes = new Uint8Array(call.response), total = 0;
		for (var i = 0; i < bytes.length; i++) total = (total * 31 + bytes[i]) % 1000003;
		$('#bytes').text(bytes.length + ' bytes, ' + total);
	};
	call.send();
}

$(function() {
	App.load('home');
	$('#item').append(', and no other of its name');
	$('#library').text(typeof moment);
	$('#on').click();
	document.getElementById('next').click();
	document.getElementById('back').click();
	var heard = $('.app-page:not([hidden]) .app-title').text();
	document.getElementById('next').click();
	$('#heard').text('back at ' + heard + ', ' + $('#next').text());
	sum();
});
