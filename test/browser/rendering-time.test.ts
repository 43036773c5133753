import { describe, expect, test } from 'vitest';
import { crawlSite, type Site, type SiteRoute, serveSite } from '../support/crawl-site.ts';
import { CHROMIUM, MISSING } from './chromium.ts';

if (CHROMIUM === undefined) console.warn(MISSING);

const script = (body: string) => ({ headers: { 'content-type': 'text/javascript' }, body });
const page = (code: string, more = ''): string =>
  `<!doctype html><title>Page</title>${more.includes('<body') ? more : `${more}<body>`}<script>const show = (text) => document.body.append(text);${code}</script>`;

interface Page {
  readonly words: number;
  readonly onlyRendered: number;
  readonly links: readonly string[];
}

/** Crawls the pages of a site with rendering, and says what each has: words, and the paths that it links to. */
async function render(
  pages: Readonly<Record<string, string>>,
  more: Readonly<Record<string, SiteRoute>> = {},
) {
  const links = Object.keys(pages).map((path) => `<a href="${path}">x</a>`);
  const site: Site = await serveSite({ ...pages, ...more, '/': links.join('') });
  const crawled = await crawlSite(
    site,
    { js_rendering: true },
    { rendering: { browser: CHROMIUM, tabs: 2 } },
  );
  const rows = await crawled.rows(`SELECT urlpath, word_count, outlinks_only_rendered,
    (SELECT list(target ORDER BY target) FROM links WHERE origin = url) AS targets FROM pages WHERE rendered`);
  const found = rows.map(({ urlpath, word_count, outlinks_only_rendered, targets }): [string, Page] => {
    const { items = [] } = (targets ?? {}) as { items?: string[] };
    const paths = items.map((target) => target.replace(site.origin, ''));
    return [
      String(urlpath),
      { words: Number(word_count), onlyRendered: Number(outlinks_only_rendered), links: paths },
    ];
  });
  return { site, pages: Object.fromEntries(found) };
}

describe.skipIf(CHROMIUM === undefined)('rendering', () => {
  test('addresses resolve against the document URL that scripts set', async () => {
    const { pages } = await render({
      '/replaced': page(
        `history.replaceState({}, '', '/shop/lamps/');
         document.body.insertAdjacentHTML('beforeend', '<a href="brass">a</a><a href="#top">b</a><a href="">c</a>');`,
        '<body><a href="static">s</a>',
      ),
      '/pushed': page(
        `history.pushState({}, '', '/shop/?page=2#list'); document.body.innerHTML = '<a href="?page=3">next</a>';`,
      ),
      // A base element keeps the URL of the moment at which it came.
      '/based/': page(
        `history.replaceState({}, '', '/shop/');
         document.body.insertAdjacentHTML('beforeend', '<a href="brass">a</a>');`,
        '<base href="parts/">',
      ),
      '/plain/': page("document.body.innerHTML = '<a href=brass>a</a>'"),
    });
    expect(pages).toMatchObject({
      // The place on the page, and the empty address, are the page itself.
      '/replaced': { links: ['/replaced', '/replaced', '/shop/lamps/brass', '/shop/lamps/static'] },
      '/pushed': { links: ['/shop/?page=3'] },
      '/based/': { links: ['/based/parts/brass'] },
      '/plain/': { links: ['/plain/brass'] },
    });
  });

  test('script links to positions on the page, and buttons, are not links that only rendering reveals', async () => {
    const add = (html: string): string =>
      `document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(html)});`;
    const { pages } = await render({
      '/top': page(add('<a href="#top">top</a><a href="#">up</a><a href="">again</a><a href="/top#a">a</a>')),
      '/buttons': page(
        add(
          `<a href="javascript:void(0)">x</a><a role="button">y</a><a role="button" href="#">z</a>
           <button>b</button><form action="/send"><button formaction="/else">c</button></form><a onclick="go()">d</a>`,
        ),
      ),
      '/moved': page(`history.replaceState(null, '', '/moved?tab=1');${add('<a href="#tab-2">second</a>')}`),
      '/one': page(add('<a href="/top">a page</a>')),
    });
    const counts = Object.fromEntries(
      Object.entries(pages).map(([path, { onlyRendered }]) => [path, onlyRendered]),
    );
    expect(counts).toEqual({ '/': 0, '/top': 0, '/buttons': 0, '/moved': 0, '/one': 1 });
  });

  test('shared workers are fetched like dedicated workers', async () => {
    const hear = (worker: string): string => `const worker = ${worker};
      worker.port.onmessage = ({ data }) => show(data); worker.onerror = () => show('it failed for some reason');`;
    const { site, pages } = await render(
      {
        '/plain': page(`${hear("new SharedWorker('/w/plain.js', 'lamps')")} worker.port.postMessage('two');`),
        '/twice': page(`const first = new SharedWorker('/w/count.js');
          ${hear("new SharedWorker('/w/count.js')")}`),
        '/module': page(hear("new SharedWorker('w/module.js', { type: 'module' })")),
        '/denied': page(hear("new SharedWorker('/denied/worker.js')")),
      },
      {
        '/robots.txt': 'User-agent: *\nDisallow: /denied/',
        '/w/plain.js': script(`importScripts('part.js');
          addEventListener('connect', ({ ports: [port] }) => {
            port.onmessage = ({ data }) => port.postMessage([data, part, name, location.pathname].join(' '));
          });`),
        '/w/part.js': script("self.part = 'parts of';"),
        '/w/count.js': script(
          "let count = 0; onconnect = (event) => { if (++count === 2) event.ports[0].postMessage('it is one worker'); };",
        ),
        '/w/module.js': script(`import { part } from './part-module.js';
          onconnect = async ({ ports: [port] }) => port.postMessage(part + (await (await fetch('data')).text()));`),
        '/w/part-module.js': script("export const part = 'a module with ';"),
        '/w/data': 'some data of it',
      },
    );
    const words = Object.fromEntries(Object.entries(pages).map(([path, { words }]) => [path, words]));
    expect(words).toEqual({ '/': 1, '/plain': 6, '/twice': 4, '/module': 7, '/denied': 5 });
    expect(site.hits).not.toContain('/denied/worker.js');
    expect(site.hits.filter((path) => path === '/w/plain.js')).toHaveLength(1);
  });

  test('workers are fetched like all resources, and get time', async () => {
    const hear = (worker: string): string => `const worker = ${worker};
      worker.onmessage = ({ data }) => show(data); worker.onerror = () => show('it failed for some reason');`;
    const { site, pages } = await render(
      {
        '/dedicated': page(`${hear("new Worker('/w/plain.js')")} worker.postMessage('three words');`),
        '/fetches': page(hear("new Worker('/w/fetches.js')")),
        '/module': page(hear("new Worker('/w/module.js', { type: 'module' })")),
        '/blob': page(
          hear(
            `new Worker(URL.createObjectURL(new Blob(['importScripts("' + location.origin + '/w/part.js"); postMessage(part)'])))`,
          ),
        ),
        '/timer': page(hear("new Worker('/w/timer.js')")),
        '/turns': page(
          `${hear("new Worker('/w/plain.js')")} let turns = 0;
           worker.onmessage = () => { if (++turns < 20) worker.postMessage(turns); else show('twenty'); };
           worker.postMessage(0);`,
        ),
        '/denied': page(hear("new Worker('/denied/worker.js')")),
        '/private': page(hear("new Worker('/w/private.js')")),
      },
      {
        '/robots.txt': 'User-agent: *\nDisallow: /denied/',
        '/w/plain.js': script("onmessage = ({ data }) => postMessage(data + ' came');"),
        '/w/fetches.js': script("fetch('/data').then((one) => one.text()).then(postMessage);"),
        '/w/module.js': script("import { part } from './part-module.js'; postMessage(part);"),
        '/w/part-module.js': script("export const part = 'of a module';"),
        '/w/part.js': script("self.part = 'a part';"),
        '/w/timer.js': script("setTimeout(() => postMessage('after some time'), 400);"),
        '/w/private.js': script(
          "fetch('http://10.0.0.1/').then(() => postMessage('came'), () => postMessage('did not come'));",
        ),
        '/data': 'some data',
      },
    );
    const words = Object.fromEntries(Object.entries(pages).map(([path, { words }]) => [path, words]));
    expect(words).toEqual({
      '/': 1,
      '/dedicated': 3,
      '/fetches': 2,
      '/module': 3,
      '/blob': 2,
      '/timer': 3,
      '/turns': 1,
      '/denied': 5,
      '/private': 3,
    });
    expect(site.hits).not.toContain('/denied/worker.js');
    expect(site.hits.filter((path) => path === '/w/plain.js')).toHaveLength(1);
  });

  test('content from animation frames within five seconds is included', async () => {
    const frames = (until: string): string =>
      `let count = 0; const start = performance.now();
       requestAnimationFrame(function next(now) {
         count++;
         if (${until}) show('shown'); else requestAnimationFrame(next);
       });`;
    const { pages } = await render({
      '/count': page(frames('count === 200')),
      '/time': page(frames('now - start > 4500')),
      '/late': page(frames('now - start > 6000')),
      '/endless': page(`${frames('false')} setTimeout(() => show('shown'), 4500);`),
      '/cancelled': page(
        "const number = requestAnimationFrame(() => show('shown')); cancelAnimationFrame(number);",
      ),
      '/thrown': page(
        "requestAnimationFrame(() => { throw new Error('x') }); requestAnimationFrame(() => show('shown'));",
      ),
      '/one-time': page(
        'let first; requestAnimationFrame((now) => { first = now; }); requestAnimationFrame((now) => { if (now === first) show("shown"); });',
      ),
    });
    const shown = Object.entries(pages).filter(([path, { words }]) => path !== '/' && words === 1);
    expect(shown.map(([path]) => path).toSorted()).toEqual([
      '/count',
      '/endless',
      '/one-time',
      '/thrown',
      '/time',
    ]);
  });

  test('prefetch requests for the next page are refused', async () => {
    const { site } = await render({
      '/ahead': page('', '<link rel="prefetch" href="/next"><link rel="preload" as="script" href="/now.js">'),
    });
    expect(site.hits.toSorted()).toEqual(['/', '/ahead', '/now.js']);
  });
});
