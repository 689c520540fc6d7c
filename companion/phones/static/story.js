/* A picture that every phone keeps among its photos is made here, of the drawing that the box makes. */
(function () {
  'use strict';
  var doc = document;
  doc.addEventListener('click', function (event) {
    var link = event.target.closest ? event.target.closest('[data-png]') : null;
    if (!link || !window.HTMLCanvasElement || !HTMLCanvasElement.prototype.toBlob) { return; }
    event.preventDefault();
    var drawing = new Image();
    drawing.onload = function () {
      var canvas = doc.createElement('canvas');
      canvas.width = 2 * drawing.naturalWidth;
      canvas.height = 2 * drawing.naturalHeight;
      canvas.getContext('2d').drawImage(drawing, 0, 0, canvas.width, canvas.height);
      canvas.toBlob(function (blob) {
        var save = doc.createElement('a');
        save.href = URL.createObjectURL(blob);
        save.download = link.download.replace('.svg', '.png');
        save.click();
        setTimeout(function () { URL.revokeObjectURL(save.href); }, 60000);
      }, 'image/png');
    };
    drawing.onerror = function () { location.href = link.href; };
    drawing.src = link.href;
  });
})();
