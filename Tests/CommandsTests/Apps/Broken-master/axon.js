(function(){
	App.load('home';
})();
