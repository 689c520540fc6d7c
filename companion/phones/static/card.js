/* The page with a card, for a browser that has scripts after all: empty it when it is left, for Back brings pages back
   as they were, and leave it at once when that happens. */
(function () {
  'use strict';
  function empty() {
    var card = document.querySelector('.shown');
    if (card) { card.textContent = ''; }
  }
  window.addEventListener('pagehide', empty);
  window.addEventListener('pageshow', function (event) { if (event.persisted) { empty(); location.replace('/'); } });
  document.addEventListener('visibilitychange', function () { if (document.hidden) { empty(); location.replace('/'); } });
})();
