/* Keeps an open page up to date, and shows a player's own card for as long as it is held.

   The stream says what is said and what the table does now; the page asks for itself when more than that has changed.
   Without a stream it asks for the news too. A card is asked for while it is held, and nothing of it is kept: not in a variable, not in storage. */
(function () {
  'use strict';
  var doc = document, body = doc.body;
  var page = body.getAttribute('data-page');
  var seated = page === 'own' || page === 'host';
  var offline = doc.getElementById('offline'), toast = doc.getElementById('toast');
  var shown = doc.getElementById('shown');

  /* What needs no answer of the box's own thread is there within moments; a press may wait for a slow card. */
  var GET_MS = 4000, POST_MS = 8000;
  /* When the box was last heard of: by the stream, or by an answer. */
  var heard = Date.now();

  /* Every request ends: with its whole answer, or at its deadline. What comes after that is nobody's. */
  function ask(path, options, deadline) {
    options = options || {};
    options.headers = Object.assign({ 'X-Companion': '1' }, options.headers);
    options.credentials = 'same-origin';
    options.cache = 'no-store';
    var control = window.AbortController ? new AbortController() : null;
    if (control) { options.signal = control.signal; }
    var giveUp;
    var asked = new Promise(function (resolve, reject) {
      giveUp = function () {
        clearTimeout(timer);
        reject(new Error('no answer'));
        if (control) { control.abort(); }
      };
      var timer = setTimeout(giveUp, deadline || GET_MS);
      fetch(path, options).then(function (answer) {
        return answer.text().then(function (text) {
          clearTimeout(timer);
          heard = Date.now();
          resolve({
            ok: answer.ok, status: answer.status, redirected: answer.redirected, headers: answer.headers, text: text,
            json: function () { return JSON.parse(text); }
          });
        });
      }).catch(function (error) { clearTimeout(timer); reject(error); });
    });
    asked.giveUp = giveUp;
    return asked;
  }

  function send(path, content, deadline) {
    return ask(path, {
      method: 'POST', body: JSON.stringify(content), headers: { 'Content-Type': 'application/json' }
    }, deadline || POST_MS);
  }

  function each(list, work) { Array.prototype.forEach.call(list, work); }

  var toastTimer = 0;
  function say(sentence) {
    toast.textContent = sentence;
    toast.hidden = false;
    clearTimeout(toastTimer);
    toastTimer = setTimeout(function () { toast.hidden = true; }, 6000);
  }

  /* --- the state ------------------------------------------------------------------------------------------------ */

  var version = null, etag = '', stamp = body.getAttribute('data-stamp'), wanted = stamp;
  var asking = null, again = false, failures = 0;

  /* What the stream tells by itself, asked for: at the beginning, after a report, and where there is no stream. */
  function update() {
    if (asking) { again = true; return; }
    asking = ask(seated ? '/api/me' : '/api/table', { headers: etag ? { 'If-None-Match': etag } : {} });
    asking.then(function (answer) {
      failures = 0;
      if (answer.status === 304) { return; }
      if (answer.status === 401) { location.replace('/'); return; }
      if (!answer.ok) { throw new Error('state'); }
      etag = answer.headers.get('ETag') || '';
      learn(answer.json(), 0);
    }).catch(failed).then(function () {
      asking = null;
      if (again) { again = false; update(); }
    });
  }

  function failed() {
    etag = '';
    failures++;
  }

  /* A box that was started again counts anew: the stamp says which start it was. */
  function boot(ofStamp) { return ofStamp.split('-')[0]; }

  /* While the box tells a rule, the picture of that rule is lit. */
  function lesson(caption) {
    var pictures = doc.querySelectorAll('[data-says]');
    for (var i = 0; i < pictures.length; i++) {
      pictures[i].classList.toggle('said', pictures[i].getAttribute('data-says') === caption);
    }
  }

  /* First what is being said, which is here already, then the page, when something on it has changed. */
  function learn(state, delay) {
    if (version && state.version < version && boot(state.stamp) === boot(wanted)) { return; }
    version = state.version;
    wanted = state.stamp;
    var caption = doc.getElementById('caption');
    if (caption && caption.textContent !== state.caption) { caption.textContent = state.caption; }
    lesson(state.caption);
    if (page === 'panel') { lights(); }
    means(state.now);
    if (wanted !== stamp) { renew(delay); }
  }

  /* A report and the word that tells of it come one after the other: the page asks once for both, when every screen has
     its line. */
  var TOGETHER_MS = 50;
  var renewing = false, fetching = null;

  function renew(delay) {
    if (renewing) { return; }
    renewing = true;
    var asked;
    new Promise(function (resolve) { setTimeout(resolve, delay); }).then(function () {
      asked = wanted;
      /* Nothing moves under a finger that holds a card. */
      if (cardIsShown()) { etag = ''; return null; }
      fetching = ask(body.getAttribute('data-path') || location.pathname + location.search);
      return fetching.then(take);
    }).catch(failed).then(function () {
      renewing = false;
      fetching = null;
      if (wanted !== asked && wanted !== stamp) { renew(0); }
    });
  }

  function take(answer) {
    if (answer.status === 503 || answer.status === 429) { throw new Error('later'); }
    if (!answer.ok || answer.redirected) { location.reload(); return; }
    /* Held since it was asked for. */
    if (cardIsShown()) { etag = ''; return; }
    var fresh = new DOMParser().parseFromString(answer.text, 'text/html');
    withoutScriptsOnly(fresh);
    if (fresh.body.getAttribute('data-page') !== page) { location.reload(); return; }
    body.className = fresh.body.className;
    var before = doc.querySelector('[data-press] [name=moment]'), now = fresh.querySelector('[data-press] [name=moment]');
    if (before && now) { before.value = now.value; }
    var waits = false;
    each(fresh.querySelectorAll('[data-live]'), function (part) {
      var old = doc.getElementById(part.id), sent = part.innerHTML;
      if (!old || sources[part.id] === sent) { return; }
      if (merge(old, part)) { waits = true; } else { sources[part.id] = sent; }
    });
    stamp = waits ? '' : fresh.body.getAttribute('data-stamp');
    ready();
  }

  function cardIsShown() { return Boolean(shown && !shown.hidden); }

  /* Buttons for browsers without scripts: this one has them. */
  function withoutScriptsOnly(root) { each(root.querySelectorAll('noscript'), function (part) { part.parentNode.removeChild(part); }); }
  withoutScriptsOnly(doc);

  /* What the server sent for a part last: what is the same has nothing to be merged. */
  var sources = {};

  /* Into a part of the page goes what is new in it. Whether it has to wait: nothing moves under a finger that drags. */
  function merge(old, part) {
    if (dragged && old.contains(dragged)) { return true; }
    if (window.Idiomorph) {
      Idiomorph.morph(old, part, {
        morphStyle: 'outerHTML',
        callbacks: { beforeNodeMorphed: isTheirs, beforeAttributeUpdated: isOurs }
      });
    } else {
      /* A browser too old for the library. */
      old.parentNode.replaceChild(doc.importNode(part, true), old);
    }
    return false;
  }

  /* What somebody has typed or is about to choose stays theirs, unless the table knows by now what was chosen. */
  function isTheirs(old, next) {
    if (old.tagName !== 'INPUT' || old.id !== next.id) { return true; }
    if (old.type === 'radio') { return Boolean(next.form && next.form.querySelector('input[checked]')); }
    return old.type === 'hidden' || (old.value === old.defaultValue && old !== doc.activeElement);
  }

  /* Whoever opened something finds it open, and what needs scripts stays shown. */
  function isOurs(name, element) {
    return !(name === 'open' && element.tagName === 'DETAILS') && !(name === 'hidden' && /hold|tap|grip/.test(element.className));
  }

  /* --- the stream ----------------------------------------------------------------------------------------------- */

  var stream = null, opened = 0, short = 0, retry = 0;
  /* The stream says something every three seconds while it is alive, also when there is nothing new. */
  var BEAT_MS = 3500, SILENCE_MS = 5000, streamed = 0;

  function listen() {
    quiet();
    if (doc.hidden || !window.EventSource || Date.now() < retry) { return; }
    opened = streamed = Date.now();
    stream = new EventSource('/news' + location.search);
    stream.onmessage = function (event) {
      heard = streamed = Date.now();
      var news = JSON.parse(event.data);
      /* None: this phone has lost its seat, and asks what has become of it. */
      if (!news.stamp) { update(); } else if (news.version !== version || news.stamp !== stamp) { learn(news, TOGETHER_MS); }
    };
    stream.onerror = function () {
      /* No place, or a newer page of this phone took it: then this one asks by itself for a while. */
      short = Date.now() - opened < 8000 ? short + 1 : 0;
      if (!stream || stream.readyState === 2 || short > 1) { quiet(); retry = Date.now() + 30000; short = 0; }
    };
  }

  function quiet() {
    if (stream) { stream.close(); stream = null; }
  }

  setInterval(function () {
    if (doc.hidden) { return; }
    var silent = Date.now() - heard;
    offline.hidden = silent <= SILENCE_MS;
    if (!stream) {
      if (failures || silent > 1500) { update(); }
      if (Date.now() >= retry) { listen(); }
    } else if (Date.now() - streamed > BEAT_MS) {
      /* Dead on its way, perhaps: the page asks by itself, and tries another one now and then. */
      if (Date.now() - opened > 2 * SILENCE_MS) { listen(); }
      update();
    } else if (stream.readyState !== 1 || failures) {
      update();
    }
  }, 1000);

  /* Back from sleep, or in a network again: what was asked before may never be answered. */
  function wake() {
    retry = 0;
    heard = Date.now();
    if (asking) { asking.giveUp(); }
    if (fetching) { fetching.giveUp(); }
    listen();
    update();
  }
  doc.addEventListener('visibilitychange', function () {
    if (doc.hidden) { hide(); quiet(); } else { wake(); }
  });
  window.addEventListener('pageshow', function (event) { if (event.persisted) { etag = ''; wake(); } });
  window.addEventListener('pagehide', function () { hide(); quiet(); });
  window.addEventListener('online', wake);
  window.addEventListener('blur', hide);

  /* --- cards ---------------------------------------------------------------------------------------------------- */

  var sequence = 0, timer = 0, pointer = null, origin = null;

  function show(form, held) {
    hide();
    var mine = ++sequence;
    origin = doc.activeElement;
    shown.className = held ? 'held' : '';
    shown.hidden = false;
    var button = shown.querySelector('button');
    if (!held) {
      button.focus();
    }
    send('/api/me/' + form.getAttribute('data-card'), { seat: Number(form.getAttribute('data-seat')) }, GET_MS)
      .then(function (answer) {
        /* Let go by now, or a newer look is under way: what comes late is never shown. */
        if (mine !== sequence) { return; }
        var card = answer.json();
        if (!answer.ok) { hide(); say(card.error); return; }
        draw(card, form.getAttribute('data-whose') || '');
        if (!held) { clearTimeout(timer); timer = setTimeout(hide, 5000); }
      })
      .catch(function () { if (mine === sequence) { hide(); say(offline.textContent); } });
  }

  function draw(card, whose) {
    var list = shown.querySelector('dl');
    shown.querySelector('.whose').textContent = whose;
    shown.querySelector('.word').textContent = card.title;
    shown.querySelector('.medallion').setAttribute('data-party', card.party || '');
    each(card.facts, function (fact) {
      ['dt', 'dd'].forEach(function (tag, place) {
        var element = doc.createElement(tag);
        element.textContent = fact[place];
        list.appendChild(element);
      });
    });
  }

  function hide() {
    sequence++;
    clearTimeout(timer);
    pointer = null;
    if (!shown || shown.hidden) { return; }
    shown.querySelector('.whose').textContent = shown.querySelector('.word').textContent = '';
    shown.querySelector('.medallion').setAttribute('data-party', '');
    var list = shown.querySelector('dl');
    while (list.firstChild) { list.removeChild(list.firstChild); }
    shown.hidden = true;
    if (origin && shown.className === '' && doc.contains(origin)) { origin.focus(); }
    /* The phone goes back to the middle of the table: the next player starts from the hand-over. */
    each(doc.querySelectorAll('.handover[open]'), function (each) { each.open = false; });
    update();
  }

  function cardOf(target, kind) {
    var button = target && target.closest ? target.closest('.envelope ' + kind) : null;
    return button ? button.form : null;
  }

  function press(event) {
    var form = cardOf(event.target, '.hold');
    if (!form || pointer !== null || event.button > 0) { return; }
    if (event.cancelable) { event.preventDefault(); }
    show(form, true);
    pointer = 'pointerId' in event ? event.pointerId : 0;
    if (event.target.setPointerCapture) { try { event.target.setPointerCapture(pointer); } catch (gone) { /* up already */ } }
  }

  function release(event) {
    if (pointer !== null && (!('pointerId' in event) || event.pointerId === pointer)) { hide(); }
  }

  if (shown) {
    if (window.PointerEvent) {
      doc.addEventListener('pointerdown', press);
      ['pointerup', 'pointercancel', 'lostpointercapture'].forEach(function (name) { doc.addEventListener(name, release); });
    } else {
      doc.addEventListener('touchstart', press, { passive: false });
      doc.addEventListener('mousedown', press);
      ['touchend', 'touchcancel', 'mouseup'].forEach(function (name) { doc.addEventListener(name, release); });
    }
    /* A long press would select, magnify or drag, on an iPhone before any pointer is told of. */
    doc.addEventListener('touchstart', function (event) {
      if (event.cancelable && event.target.closest && event.target.closest('.envelope .hold,.grip')) { event.preventDefault(); }
    }, { passive: false });
    ['selectstart', 'dragstart'].forEach(function (name) {
      doc.addEventListener(name, function (event) {
        var element = event.target.closest ? event.target : event.target.parentElement;
        if (element && element.closest('.envelope,#shown,.grip')) { event.preventDefault(); }
      });
    });
    doc.addEventListener('contextmenu', function (event) { if (event.target.closest('.envelope,#shown')) { event.preventDefault(); } });
    doc.addEventListener('keydown', function (event) {
      if (event.key === 'Escape') { hide(); return; }
      var form = cardOf(event.target, '.hold');
      if (!form || (event.key !== ' ' && event.key !== 'Enter')) { return; }
      event.preventDefault();
      if (!event.repeat && pointer === null) { show(form, true); pointer = 'key'; }
    });
    doc.addEventListener('keyup', function (event) {
      if (cardOf(event.target, '.hold')) { event.preventDefault(); }
      if (pointer === 'key') { hide(); }
    });
    doc.addEventListener('click', function (event) {
      /* A screen reader or a switch clicks without pressing: that shows the card for a while. */
      var form = cardOf(event.target, '.tap') || (event.detail === 0 && pointer === null && cardOf(event.target, '.hold'));
      if (form) { event.preventDefault(); show(form, false); }
    });
    shown.querySelector('button').addEventListener('click', hide);
  }

  /* --- forms ---------------------------------------------------------------------------------------------------- */

  var clicked = null;
  doc.addEventListener('click', function (event) { clicked = event.target.closest ? event.target.closest('button') : null; }, true);
  doc.addEventListener('submit', function (event) {
    var form = event.target;
    if (!form.hasAttribute('data-quiet')) { return; }
    event.preventDefault();
    var content = new URLSearchParams(new FormData(form));
    var by = event.submitter || clicked;
    if (by && by.form === form && by.name) { content.append(by.name, by.value); }
    ask(form.getAttribute('action'), {
      method: 'POST', body: content.toString(), headers: { 'Content-Type': 'application/x-www-form-urlencoded' }
    }, POST_MS).then(function (answer) {
      if (!answer.ok) { say(answer.json().error); }
      each(form.querySelectorAll('input[name=name]'), function (field) {
        /* Told: what was typed is nobody's draft any more. */
        if (answer.ok) { field.defaultValue = field.value; }
        field.blur();
      });
      etag = '';
      update();
    }).catch(function () { say(offline.textContent); });
  });

  /* --- seats ---------------------------------------------------------------------------------------------------- */

  /* A seat follows the finger that holds its grip, and the others make room; the arrows beside it do the same. */
  var dragged = null, finger = 0, grab = 0, start = 0;

  function seatOf(item) { return Array.prototype.indexOf.call(item.parentNode.children, item) + 1; }

  function swapWith(other) {
    /* The neighbour moves: an element that is taken out of the page loses its finger. */
    dragged.parentNode.insertBefore(other, other === dragged.nextElementSibling ? dragged : dragged.nextElementSibling);
  }

  function middle(item) {
    var area = item.getBoundingClientRect();
    return area.top + area.height / 2;
  }

  function drag(event) {
    if (!dragged || event.pointerId !== finger) { return; }
    dragged.style.transform = '';
    /* Three quarters of the way over somebody are enough, and too much to tip back at once. */
    var height = dragged.offsetHeight, top = event.clientY - grab, other;
    while ((other = dragged.nextElementSibling) && top + height * .75 > middle(other)) { swapWith(other); }
    while ((other = dragged.previousElementSibling) && top + height * .25 < middle(other)) { swapWith(other); }
    dragged.style.transform = 'translateY(' + (top - dragged.getBoundingClientRect().top) + 'px)';
    if (event.clientY < 48) { window.scrollBy(0, -16); } else if (event.clientY > window.innerHeight - 48) { window.scrollBy(0, 16); }
  }

  function putBack() {
    while (seatOf(dragged) < start) { swapWith(dragged.nextElementSibling); }
    while (seatOf(dragged) > start) { swapWith(dragged.previousElementSibling); }
  }

  function drop(keep) {
    if (!dragged) { return; }
    var seat = seatOf(dragged), player = Number(dragged.querySelector('.grip').getAttribute('data-player'));
    dragged.style.transform = '';
    dragged.classList.remove('dragged');
    /* Until the box has decided, the page shows what it has said so far. */
    putBack();
    dragged = null;
    var told = keep && seat !== start ? send('/host/move', { player: player, seat: seat }).then(function (answer) {
      if (!answer.ok) { say(answer.json().error); }
    }).catch(function () { say(offline.textContent); }) : Promise.resolve();
    told.then(function () { etag = ''; update(); });
  }

  if (page === 'host' && window.PointerEvent) {
    doc.addEventListener('pointerdown', function (event) {
      if (dragged || event.button > 0 || !event.target.closest('.grip')) { return; }
      event.preventDefault();
      dragged = event.target.closest('li');
      finger = event.pointerId;
      start = seatOf(dragged);
      grab = event.clientY - dragged.getBoundingClientRect().top;
      dragged.classList.add('dragged');
      event.target.setPointerCapture(finger);
    });
    doc.addEventListener('pointermove', drag);
    doc.addEventListener('pointerup', function (event) { if (event.pointerId === finger) { drop(true); } });
    ['pointercancel', 'lostpointercapture'].forEach(function (name) {
      doc.addEventListener(name, function (event) { if (event.pointerId === finger) { drop(false); } });
    });
    doc.addEventListener('keydown', function (event) { if (event.key === 'Escape') { drop(false); } });
  }

  /* --- the panel on a screen ------------------------------------------------------------------------------------ */

  function lights() {
    ask('/api/panel').then(function (answer) { return answer.ok ? answer.json() : null; }).then(function (picture) {
      if (!picture) { return; }
      each(doc.querySelectorAll('[data-row]'), function (row) {
        var name = row.getAttribute('data-row'), blinks = (picture.blinking || {})[name] || [];
        each(row.children, function (lamp, place) {
          var state = name === 'status' ? picture.status : blinks[place] ? 'slow' : picture[name][place] ? 'on' : 'off';
          var next = 'lamp ' + state;
          if (lamp.className !== next) { lamp.className = next; }
        });
      });
    }).catch(function () { /* the next look will tell */ });
  }

  /* Under each key stands what it means at this moment; one that means nothing is dimmed, and can still be pressed. */
  function means(now) {
    each(doc.querySelectorAll('.key'), function (key) {
      var pressed = now.buttons[key.value], held = now.held[key.value];
      var words = [pressed || '', held ? key.querySelector('.held').getAttribute('data-word') + ': ' + held : ''];
      each(key.querySelectorAll('.means'), function (place, number) {
        if (place.textContent !== words[number]) { place.textContent = words[number]; }
      });
      key.classList.toggle('idle', !pressed && !held);
    });
  }

  /* The key that a finger keeps down to make chords with the policy keys, as on the real panel. */
  var keptDown = null;
  var CHORDS = { liberal: 'repeat', fascist: 'repeat', ja: 'repeat', undo: 'repeat' };

  var letters = {};

  function keys(form) {
    var held = form.querySelector('[name=held]') || {}, path = form.getAttribute('data-press');
    var moment = form.querySelector('[name=moment]'), beside = form.querySelector('[name=with]');
    function push(button, hold) {
      held.checked = false;
      var content = { button: button.value, held: hold };
      if (beside) { content['with'] = beside.value; }
      if (keptDown && CHORDS[button.value] === keptDown.name) { content['with'] = keptDown.name; keptDown.spend(); }
      if (moment) { content.moment = moment.value; }
      send(path, content).then(function (answer) { return answer.json(); }).then(function (result) {
        var caption = doc.getElementById('caption');
        if (moment && result.moment) { moment.value = result.moment; }
        if ('caption' in result) { caption.textContent = result.caption; } else { say(result.error); }
        etag = '';
        update();
        if (page === 'panel') { lights(); }
      }).catch(function () { say(offline.textContent); });
    }
    each(form.querySelectorAll('.key,.turner'), function (button) {
      var needs = Number(button.getAttribute('data-hold-ms')), down = 0, wait = 0;
      if (button.classList.contains('key')) { letters[button.value] = function (hold) { push(button, hold && Boolean(needs)); }; }
      function start(event) {
        if (down || (event.button || 0) > 0) { return; }
        down = 1;
        if (button.value === 'repeat') {
          keptDown = { name: 'repeat', spend: function () { down = 2; clearTimeout(wait); button.classList.remove('holding'); } };
        }
        button.classList.add('down');
        /* Like on the real panel: a button without a hold, or in a chord, acts the moment it goes down. */
        if (!needs || held.checked || (keptDown && CHORDS[button.value])) { down = 2; push(button, Boolean(needs) && held.checked); return; }
        button.style.setProperty('--hold', needs + 'ms');
        button.classList.add('holding');
        wait = setTimeout(function () { down = 2; button.classList.remove('holding'); push(button, true); }, needs);
      }
      function end(pressed) {
        clearTimeout(wait);
        button.classList.remove('holding', 'down');
        if (button.value === 'repeat') { keptDown = null; }
        if (down === 1 && pressed) { push(button, false); }
        down = 0;
      }
      var begin = window.PointerEvent ? 'pointerdown' : 'mousedown', finish = window.PointerEvent ? 'pointerup' : 'mouseup';
      button.addEventListener(begin, start);
      button.addEventListener(finish, function () { end(true); });
      button.addEventListener('pointerleave', function () { end(false); });
      button.addEventListener('pointercancel', function () { end(false); });
      button.addEventListener('blur', function () { end(false); });
      button.addEventListener('keydown', function (event) {
        if ((event.key === ' ' || event.key === 'Enter') && !event.repeat) { start(event); }
        if (event.key === ' ' || event.key === 'Enter') { event.preventDefault(); }
      });
      button.addEventListener('keyup', function (event) {
        if (event.key === ' ' || event.key === 'Enter') { event.preventDefault(); end(true); }
      });
      button.addEventListener('click', function (event) {
        event.preventDefault();
        /* A screen reader clicks without pressing. */
        if (event.detail === 0) { push(button, Boolean(needs) && held.checked); }
      });
      button.addEventListener('contextmenu', function (event) { event.preventDefault(); });
    });
    form.addEventListener('submit', function (event) { event.preventDefault(); });
  }
  each(doc.querySelectorAll('[data-press]'), keys);

  /* The panel page has the keys of the panel in a terminal: a letter presses, a capital holds. By their places, so that
     they are the same on every keyboard. */
  if (page === 'panel') {
    doc.addEventListener('keydown', function (event) {
      if (event.repeat || event.ctrlKey || event.altKey || event.metaKey) { return; }
      each(doc.querySelectorAll('.key'), function (key) {
        if (event.code === 'Key' + key.value.charAt(0).toUpperCase()) {
          event.preventDefault();
          letters[key.value](event.shiftKey);
        }
      });
    });
  }
  if (page === 'panel') { setInterval(function () { if (!doc.hidden) { lights(); } }, 1000); }

  /* --- beginning ------------------------------------------------------------------------------------------------ */

  /* --- the clock of the discussion ------------------------------------------------------------------------------- */

  /* The page says how much was left when the box made it; from there on this phone counts by itself. */
  var clock = null;

  function wind() {
    var shown = doc.querySelector('.clock'), left = shown && shown.getAttribute('data-left');
    if (!left) { clock = null; return; }
    if (!clock || clock.left !== left) { clock = { left: left, ends: performance.now() + left * 1000 }; }
    tick();
  }

  function tick() {
    var shown = clock && doc.querySelector('.clock');
    if (!shown) { return; }
    var left = Math.max(0, (clock.ends - performance.now()) / 1000), whole = Math.ceil(left);
    var words = Math.floor(whole / 60) + ':' + ('0' + whole % 60).slice(-2);
    if (shown.lastElementChild.textContent !== words) { shown.lastElementChild.textContent = words; }
    shown.classList.toggle('late', left <= 15);
    shown.style.setProperty('--left', left / shown.getAttribute('data-all'));
  }
  setInterval(tick, 200);

  function ready() {
    wind();
    /* Holding needs scripts; where there are none, the form alone stays. */
    each(doc.querySelectorAll('.hold[hidden],.tap[hidden]'), function (button) { button.hidden = false; });
    if (window.PointerEvent) { each(doc.querySelectorAll('.grip[hidden]'), function (grip) { grip.hidden = false; }); }
  }
  ready();
  listen();
  update();
})();
