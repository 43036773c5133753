import type { DocumentPlace } from './rendered.ts';

/** Characters of a rendered document. */
export const MOST_CHARACTERS = 10_000_000;
/** Between two frames of an animation, as on a screen of 60 Hz. */
const FRAME_MS = 1000 / 60;

/**
 * Provides animation frames by the page's own clock, because those of the browser follow real time, which the page's
 * clock runs ahead of. Keeps the original functions, because pages may replace them.
 */
export const FRAMES = `(() => {
  const { setTimeout, reportError, performance, Map, TypeError } = window;
  const now = performance.now.bind(performance);
  let waiting = new Map();
  let running = new Map();
  let last = 0;
  const frame = () => {
    running = waiting;
    waiting = new Map();
    const time = now();
    for (const [id, callback] of running) {
      running.delete(id);
      try { callback(time); } catch (error) { reportError(error); }
    }
  };
  window.requestAnimationFrame = function requestAnimationFrame(callback) {
    if (typeof callback !== 'function') throw new TypeError('The callback is not a function.');
    if (waiting.size === 0) setTimeout(frame, ${FRAME_MS} - now() % ${FRAME_MS});
    waiting.set(++last, callback);
    return last;
  };
  window.cancelAnimationFrame = function cancelAnimationFrame(id) {
    waiting.delete(id);
    running.delete(id);
  };
})();`;

/** Resolves when the browser has notified the page of what is in view. */
export const VIEW =
  'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(true))))';

/** The document with its open shadow trees, as templates with `shadowrootmode`. */
export const SNAPSHOT = `(() => {
  window.name = '';
  const root = document.documentElement;
  const shadowRoots = [];
  const look = (within) => {
    for (const { shadowRoot } of within.querySelectorAll('*'))
      if (shadowRoot !== null) look(shadowRoots[shadowRoots.push(shadowRoot) - 1]);
  };
  look(document);
  const html = root === null ? '' : shadowRoots.length === 0 || !root.getHTML ? root.outerHTML
    : root.cloneNode(false).outerHTML.replace('</html>', () => root.getHTML({ shadowRoots }));
  const doctype = document.compatMode === 'BackCompat' ? '' : '<!DOCTYPE html>';
  return { html: doctype + html.slice(0, ${MOST_CHARACTERS}), url: location.href.replace(/#.*/s, ''), base: document.baseURI };
})()`;

export type Snapshot = DocumentPlace & { readonly html: string };
