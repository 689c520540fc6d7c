/* Keeps a screen on the table awake. Browsers give their wake lock to secure pages only, and a box has no certificate: a
   black film without a sound keeps a screen on as well, as long as it plays and is large enough. It is made by
   ffmpeg -f lavfi -i color=black:s=64x36:r=4 -f lavfi -i anullsrc=r=48000:cl=mono -t 10, and lies behind the page. */
(function () {
  'use strict';
  var doc = document, lock = null, film = null;

  function byLock() {
    if (doc.hidden || lock) { return; }
    navigator.wakeLock.request('screen').then(function (given) {
      lock = given;
      given.addEventListener('release', function () { lock = null; });
    }).catch(byFilm);
  }

  function byFilm() {
    if (film) { play(); return; }
    film = doc.createElement('video');
    film.className = 'awake';
    film.muted = film.playsInline = film.loop = true;
    ['muted', 'playsinline', 'aria-hidden', 'disablepictureinpicture'].forEach(function (name) { film.setAttribute(name, 'true'); });
    film.tabIndex = -1;
    [['webm', 'video/webm'], ['mp4', 'video/mp4']].forEach(function (kind) {
      var source = doc.createElement('source');
      source.src = '/static/awake.' + kind[0];
      source.type = kind[1];
      film.appendChild(source);
    });
    film.lastChild.addEventListener('error', tell);
    doc.body.appendChild(film);
    play();
  }

  function play() {
    if (doc.hidden || !film.paused) { return; }
    var playing = film.play();
    if (playing) { playing.catch(function (error) { if (error.name !== 'AbortError') { tell(); } }); }
  }

  /* An iPad keeps awake only for a film with a sound track that is not muted and does not loop by itself; a film may
     sound, be it only silence, once somebody has touched the page. */
  function aloud() {
    if (!film || !film.muted) { return; }
    film.muted = film.loop = false;
    film.addEventListener('timeupdate', function () { if (film.currentTime > 5) { film.currentTime = 0; } });
    film.addEventListener('ended', play);
    play();
  }

  function tell() {
    var hint = doc.getElementById('sleeps');
    if (hint) { hint.hidden = false; }
  }

  function keep() {
    if (navigator.wakeLock) { byLock(); } else { byFilm(); }
  }

  doc.addEventListener('visibilitychange', function () { if (!doc.hidden) { keep(); } });
  ['pointerdown', 'touchend', 'keydown'].forEach(function (name) { doc.addEventListener(name, aloud); });
  keep();
})();
