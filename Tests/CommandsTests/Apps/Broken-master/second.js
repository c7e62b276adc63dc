$('.app-content').append(' The second script ran.');
