import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { CrawlOptions } from '../../src/site/crawler/crawl-website.ts';
import { type Crawled, crawlSite, type Site, serveSite } from '../support/crawl-site.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { CHROMIUM, MISSING } from './chromium.ts';

if (CHROMIUM === undefined) console.warn(MISSING);

type Fields = Record<string, unknown>;

/** Crawls a site with rendering, in the Chromium of this machine. */
function rendered(site: Site, config: Fields = {}, options: Partial<CrawlOptions> = {}): Promise<Crawled> {
  return crawlSite(
    site,
    { js_rendering: true, ...config },
    { ...options, rendering: { browser: CHROMIUM, tabs: 2, ...options.rendering } },
  );
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  return (value as { items?: unknown } | null)?.items ?? value;
}

async function pageOf(crawled: Crawled, path = '/'): Promise<Fields> {
  const [row] = await crawled.rows(`SELECT * FROM pages WHERE urlpath = '${path}'`);
  return Object.fromEntries(Object.entries(row ?? {}).map(([name, value]) => [name, plain(value)]));
}

function script(body: string) {
  return { headers: { 'content-type': 'text/javascript' }, body };
}

const text = (words: number): string => Array.from({ length: words }, (_, n) => `word${n}`).join(' ');

describe.skipIf(CHROMIUM === undefined)('rendering', () => {
  test('the fields describe the rendered page, next to the values of the plain HTML', async () => {
    const site = await serveSite({
      '/': `<!doctype html><html><head><title>Loading</title><meta name="robots" content="noindex">
        <link rel="canonical" href="/"></head><body><noscript>Switch on scripts</noscript><a href="/old">old</a>
        <div id="app"></div><script src="/app.js"></script></body></html>`,
      '/app.js': script(`
        document.title = 'A shop';
        document.querySelector('meta').remove();
        document.querySelector('link').href = '/shop';
        document.querySelector('a').remove();
        setTimeout(async () => {
          const { name } = await (await fetch('/api.json', { headers: { 'x-shop': '1' } })).json();
          document.getElementById('app').innerHTML =
            '<h1>' + name + '</h1><p>${text(40)}</p><a href="/a">a</a><a href="/b">b</a>';
        }, 3000);`),
      '/api.json': { headers: { 'content-type': 'application/json' }, body: '{"name": "Shoes"}' },
      '/a': '<title>A</title><h1>Plain</h1>',
      '/b': '<title>B</title>',
      '/old': '<title>Old</title>',
    });
    const crawled = await rendered(site);
    expect(await pageOf(crawled)).toMatchObject({
      rendered: true,
      title: 'A shop',
      unrendered_title: 'Loading',
      h1: 'Shoes',
      unrendered_h1: null,
      rel_canonical: `${site.origin}/shop`,
      unrendered_rel_canonical: `${site.origin}/`,
      meta_robots_index: true,
      unrendered_meta_robots_index: false,
      unrendered_meta_robots: ['noindex'],
      word_count: 42,
      unrendered_word_count: 1,
      internal_outlinks: 2,
      unrendered_outlinks: 1,
      outlinks_only_rendered: 2,
      outlinks_only_unrendered: 1,
      num_resources: 2,
      num_resources_failed: 0,
      resources: null,
      processing_warnings: null,
    });
    expect(await pageOf(crawled, '/a')).toMatchObject({ rendered: true, title: 'A', unrendered_title: 'A' });
    expect(Object.keys(await crawled.field('depth')).sort()).toEqual(['/', '/a', '/b']);
    // The canonical is a declared target.
    expect(site.hits.toSorted()).toEqual(['/', '/a', '/api.json', '/app.js', '/b', '/shop']);
    expect(site.requests.find(({ url }) => url === '/api.json')?.headers).toMatchObject({
      'x-shop': '1',
      'user-agent': 'Mozilla/5.0 (compatible; testbot)',
    });
  });

  test('each request of a page respects robots.txt, and none reaches a private address', async () => {
    const elsewhere = await serveSite({ '/frame': '<p>framed' });
    const { port } = elsewhere;
    const site = await serveSite({
      '/robots.txt': {
        headers: { 'content-type': 'text/plain' },
        body: 'User-agent: *\nDisallow: /private/',
      },
      '/': `<title>x</title><script src="/private/app.js"></script><script src="/try.js"></script>
        <img src="/a.png"><iframe src="http://public.test:${port}/frame"></iframe>`,
      '/try.js': script(`
        const say = (name) => (what) => document.body.insertAdjacentHTML('beforeend', '<p>' + name + what);
        for (const url of ['http://10.0.0.1/', 'http://192.168.0.1/', '/hop', '/post'])
          fetch(url, { method: url === '/post' ? 'POST' : 'GET' }).then(say(url + ' came'), say(url + ' failed'));
        new WebSocket('ws://127.0.0.1:${port}/socket').onopen = say('socket');
        navigator.serviceWorker?.register('/worker.js').then(say('worker'), () => {});
        window.open('http://127.0.0.1:${port}/window');
        navigator.sendBeacon('http://127.0.0.1:${port}/beacon', 'x');
        alert(1); confirm(2); prompt(3); Notification.requestPermission();`),
      '/hop': { status: 302, headers: { location: 'http://10.0.0.1/secret' } },
      '/post': 'posted',
    });
    const crawled = await rendered(site, {
      resource_checker: true,
      dns: [{ host: 'public.test', ips: ['127.0.0.1'] }],
    });
    const page = await pageOf(crawled);
    const resources = JSON.parse(String(page.resources)) as Fields[];
    const of = (url: string): Fields | undefined => resources.find((one) => String(one.url).endsWith(url));
    expect(page).toMatchObject({ rendered: true, num_resources_denied: 1, num_resources_failed: 3 });
    expect(of('/private/app.js')).toMatchObject({ type: 'script', robots_txt_denied: true, status: null });
    expect(of('/a.png')).toMatchObject({ type: 'image', error: 'not_loaded' });
    expect(of('/try.js')).toMatchObject({ status: 200, size: expect.any(Number), error: null });
    expect(of('/hop')).toMatchObject({ status: 302 });
    expect(of('/secret')).toMatchObject({ status: null, error: 'robots_unavailable' });
    expect(of('/post')).toMatchObject({ status: null, error: 'refused' });
    expect(site.hits.toSorted()).toEqual(['/', '/hop', '/try.js']);
    expect(elsewhere.hits).toEqual(['/frame']);
  });

  test('pages share downloaded resources, but no storage', async () => {
    const store = `document.title = 'seen ' + [localStorage.n, sessionStorage.n, document.cookie, window.name];
      localStorage.n = sessionStorage.n = window.name = 1; document.cookie = 'n=1';`;
    const paths = ['/', '/a', '/b', '/c'];
    const links = paths.map((path) => `<a href="${path}">x</a>`).join('');
    const site = await serveSite({
      ...Object.fromEntries(
        paths.map((path) => [path, `<title>x</title>${links}<script src="/s.js"></script>`]),
      ),
      '/s.js': script(store),
    });
    const crawled = await rendered(site, {}, { rendering: { tabs: 1 } });
    expect(new Set(Object.values(await crawled.field('title')))).toEqual(new Set(['seen ,,,']));
    expect(site.hits.filter((path) => path === '/s.js')).toHaveLength(1);
  });

  test('each page counts its requests, also for cached resources', async () => {
    const paths = ['/', '/a', '/b', '/c', '/d'];
    const links = paths.map((path) => `<a href="${path}">x</a>`).join('');
    const body = `<title>x</title><link rel="stylesheet" href="/s.css"><img src="/i.png"><img src="/i.png">${links}
      <script src="/s.js"></script><script src="/hop.js"></script><script src="/gone.js"></script>`;
    const site = await serveSite({
      ...Object.fromEntries(paths.map((path) => [path, body])),
      '/s.css': { headers: { 'content-type': 'text/css', 'cache-control': 'no-cache' }, body: 'p {}' },
      '/s.js': script('fetch("/data.json").then(async (a) => { document.title = await a.text(); });'),
      '/hop.js': { status: 302, headers: { location: '/s2.js', 'cache-control': 'max-age=9' } },
      '/s2.js': { headers: { 'content-type': 'text/javascript', 'cache-control': 'max-age=9' }, body: '1' },
      '/data.json': { headers: { 'cache-control': 'max-age=9' }, body: 'data' },
    });
    const crawled = await rendered(site, { resource_checker: true }, { rendering: { tabs: 1 } });
    const rows = await crawled.rows('SELECT title, num_resources, resources FROM pages');
    const all = rows.map(({ title, num_resources, resources }) => ({
      title,
      count: Number(num_resources),
      resources: (JSON.parse(String(resources)) as Fields[])
        .map(({ url, status, size, error }) => [String(url).replace(site.origin, ''), status, size, error])
        .sort(),
    }));
    expect(all).toHaveLength(5);
    expect(all[0]).toEqual({
      title: 'data',
      count: 7,
      resources: [
        ['/data.json', 200, 4, null],
        ['/gone.js', 404, 7, null],
        ['/hop.js', 302, 0, null],
        ['/i.png', null, null, 'not_loaded'],
        ['/s.css', 200, 4, null],
        ['/s.js', 200, expect.any(Number), null],
        ['/s2.js', 200, 1, null],
      ],
    });
    for (const one of all) expect(one).toEqual(all[0]);
    expect(site.hits.filter((path) => !paths.includes(path)).toSorted()).toEqual(
      ['/data.json', '/gone.js', '/hop.js', '/s.css', '/s.js', '/s2.js'].toSorted(),
    );
  });

  test('content loaded on view is included on each page', async () => {
    const paths = Array.from({ length: 24 }, (_, n) => `/${n}`);
    const site = await serveSite({
      '/': paths.map((path) => `<a href="${path}">x</a>`).join(''),
      ...Object.fromEntries(
        paths.map((path) => [
          path,
          `<title>x</title><div style="height: 5000px"></div><main></main><div style="height: 20000px"></div><i></i><script>
            const see = (name, then) => new IntersectionObserver(([{ isIntersecting }], one) => {
              if (isIntersecting) { one.disconnect(); then(); }
            }).observe(document.querySelector(name));
            see('i', () => { document.title = 'too far' });
            see('main', async () => {
              document.querySelector('main').innerHTML = '<h1>' + await (await fetch('/part')).text() + '</h1>';
            });</script>`,
        ]),
      ),
      '/part': 'in view',
    });
    const crawled = await rendered(site, {}, { rendering: { tabs: 3 } });
    expect(
      await crawled.rows('SELECT h1, title, count(*) AS n FROM pages WHERE depth = 1 GROUP BY ALL'),
    ).toEqual([{ h1: 'in view', title: 'x', n: 24n }]);
  });

  /** Crawls pages with these scripts; gives `[rendered, title, processing_warnings]` by path. */
  async function withScripts(scripts: Record<string, string>) {
    const links = Object.keys(scripts).map((path) => `<a href="${path}">x</a>`);
    const site = await serveSite({
      '/': `<title>start</title>${links.join('')}`,
      '/r?': 'x',
      '/target?': '<title>target</title>',
      ...Object.fromEntries(
        Object.entries(scripts).map(([path, body]) => [
          path,
          `<title>plain</title><a href="${path}/next">x</a><script>${body}</script>`,
        ]),
      ),
    });
    const crawled = await rendered(site);
    expect(crawled.endReason).toBe('ok');
    const rows = await crawled.rows(
      'SELECT urlpath, rendered, title, script_redirect, processing_warnings AS warnings, num_resources FROM pages',
    );
    const found = Object.fromEntries(rows.map((row) => [String(row.urlpath), row as Fields]));
    for (const path of Object.keys(scripts)) expect(found, path).toHaveProperty([`${path}/next`]);
    const outcome = (path: string): unknown[] =>
      ['rendered', 'title', 'warnings'].map((name) => plain(found[path]?.[name]));
    expect(outcome('/')).toEqual([true, 'start', null]);
    return { site, found, outcome };
  }

  test('a page that exhausts time or memory loses only its own content, and the crawl continues', async () => {
    const { outcome } = await withScripts({
      '/endless': 'for (;;);',
      '/memory': 'const all = []; for (;;) all.push(new Array(1e6).fill(Math.random()));',
      '/buffers': 'const all = []; setInterval(() => all.push(new Uint8Array(5e7).fill(1)), 1);',
    });
    expect(outcome('/endless')).toEqual([false, 'plain', ['render_timeout']]);
    expect(outcome('/memory').slice(0, 2)).toEqual([false, 'plain']);
    // On a busy machine it has not filled its memory before its time is over.
    expect(outcome('/memory')[2]).toEqual([expect.stringMatching(/^render_(crashed|memory|timeout)$/)]);
    expect(outcome('/buffers')).toEqual([false, 'plain', ['render_memory']]);
  });

  // In a crawl of its own: pages that use up the processor leave these too little of their 20 seconds.
  test('a page with endless requests, navigation, blocking or waiting keeps its content, and the crawl continues', async () => {
    const { site, found, outcome } = await withScripts({
      '/requests': 'let n = 0; setInterval(() => fetch("/r?" + n++), 1);',
      '/away': 'location.href = "/target?by=script"',
      '/blank': 'setTimeout(() => { location.href = "about:blank" }, 100)',
      '/dialogs': 'for (let n = 0; n < 20; n++) alert(n);',
      '/late': 'setTimeout(() => { document.title = "late" }, 4500)',
      '/never': 'setTimeout(() => { document.title = "never" }, 6000)',
    });
    expect(outcome('/requests')).toEqual([true, 'plain', ['render_request_limit']]);
    expect(outcome('/away')).toEqual([true, 'plain', null]);
    expect(found['/away']?.script_redirect).toBe(`${site.origin}/target?by=script`);
    expect(outcome('/target')).toEqual([true, 'target', null]);
    expect(outcome('/blank')).toEqual([false, 'plain', ['render_navigated']]);
    expect(outcome('/dialogs')).toEqual([true, 'plain', null]);
    expect(outcome('/late')).toEqual([true, 'late', null]);
    expect(outcome('/never')).toEqual([true, 'plain', null]);
  });

  test('for plain pages, URLs, order, counts and fields equal those of a crawl without rendering', async () => {
    const page = (n: number): string =>
      `<!doctype html><html lang="en"><head><title>Page ${n}</title><meta name="description" content="Number ${n}">
      <link rel="canonical" href="/${n}"></head><body><nav><a href="/">start</a></nav><main><h1>Page ${n}</h1>
      <p>${text(30 + n)}</p><a href="/${2 * n}">a</a> <a href="/${2 * n + 1}" rel="nofollow">b</a>
      <a href="/${3 * n}">c</a> <img src="/a.png" alt=""></main></body></html>`;
    const site = await serveSite({
      '/': { status: 301, headers: { location: '/1' } },
      ...Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`/${n + 1}`, page(n + 1)])),
    });
    const plainly = await crawlSite(site, { max_url: 18 });
    const crawled = await rendered(site, { max_url: 18 });
    for (const one of [plainly, crawled])
      expect(one).toMatchObject({ endReason: 'max_url_reached', fetchedUrls: 18 });
    const added =
      "COLUMNS(c -> NOT regexp_matches(c, '^(rendered|unrendered_.*|outlinks_only_.*|.*resources.*|fetch_date|load_time|text_to_code)$'))";
    for (const from of [`${added} FROM pages`, '* FROM links', '* FROM clusters']) {
      const sql = `SELECT ${from} ORDER BY ALL`;
      expect(await crawled.rows(sql)).toEqual(await plainly.rows(sql));
    }
    const order = 'SELECT url FROM pages';
    expect((await crawled.rows(order)).length).toBe((await plainly.rows(order)).length);
    expect(
      await crawled.rows('SELECT DISTINCT outlinks_only_rendered AS n FROM pages WHERE rendered'),
    ).toEqual([{ n: 0n }]);
  });

  test('an interrupted crawl continues, and renders each page once', async () => {
    const interruption = new AbortController();
    const paths = Array.from({ length: 30 }, (_, n) => `/${n}`);
    const site = await serveSite({
      '/': paths.map((path) => `<a href="${path}">x</a>`).join(''),
      ...Object.fromEntries(
        paths.map((path) => [path, `<title>x</title><script src="/s.js?${path.slice(0, 2)}"></script>`]),
      ),
      '/s.js?': (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/javascript' });
        response.end('document.title = "done " + location.pathname');
        if (site.hits.length > 12) interruption.abort();
      },
    });
    const folder = await temporaryFolder();
    await expect(rendered(site, {}, { folder, signal: interruption.signal })).rejects.toThrow();
    const crawled = await rendered(site, {}, { folder });
    expect(crawled).toMatchObject({ endReason: 'ok', fetchedUrls: 31 });
    expect(await crawled.field('title')).toMatchObject(
      Object.fromEntries(paths.map((path) => [path, `done ${path}`])),
    );
    expect(await crawled.rows('SELECT count(*) AS n FROM pages WHERE rendered')).toEqual([{ n: 31n }]);
  });

  test('a crashed browser is restarted, and no page loses its content', async () => {
    const paths = Array.from({ length: 24 }, (_, n) => `/${n}`);
    let kills = 0;
    const site = await serveSite({
      '/': paths.map((path) => `<a href="${path}">x</a>`).join(''),
      ...Object.fromEntries(
        paths.map((path) => [path, `<title>x</title><script src="/s.js?${path}"></script>`]),
      ),
      '/s.js?': (request, response) => {
        if (['/s.js?/5', '/s.js?/15'].includes(String(request.url)) && kills++ < 2)
          for (const pid of browsersOf(process.pid)) process.kill(pid, 'SIGKILL');
        response.writeHead(200, { 'content-type': 'text/javascript' });
        response.end('document.title = "done"');
      },
    });
    const crawled = await rendered(site);
    expect(kills).toBeGreaterThan(0);
    expect(await crawled.rows("SELECT count(*) AS n FROM pages WHERE title = 'done'")).toEqual([{ n: 24n }]);
  });

  test('content in open shadow trees and modules counts', async () => {
    const site = await serveSite({
      '/': `<title>x</title><my-box>light</my-box><script type="module">
        customElements.define('my-box', class extends HTMLElement {
          connectedCallback() {
            this.attachShadow({ mode: 'open' }).innerHTML = '<h1>In the shadow</h1><a href="/deep">deep</a>';
          }
        });
        await new Promise((resolve) => setTimeout(resolve, 1000));
        document.title = 'awaited';</script>`,
      '/deep': 'deep',
    });
    const crawled = await rendered(site);
    const page = await pageOf(crawled);
    expect(page).toMatchObject({
      title: 'awaited',
      h1: 'In the shadow',
      word_count: 5,
      internal_outlinks: 1,
    });
    expect(crawled.fetchedUrls).toBe(2);
  });

  test('only watched resources are listed', async () => {
    const site = await serveSite({
      '/': '<script src="/js/app.js?v=2"></script><link rel="stylesheet" href="/css/a.css"><img src="/img/a.png">',
      '/js/app.js?': script(''),
      '/css/a.css': { headers: { 'content-type': 'text/css' }, body: 'p {}' },
      '/img/a.png': { headers: { 'content-type': 'image/png' }, body: 'no image' },
    });
    const config = { resource_checker: true, watched_resources: ['/js/*.js', '.png'] };
    const page = await pageOf(await rendered(site, config, { rendering: { media: true } }));
    expect(page.num_resources).toBe(3);
    expect(page.watched_resources).toEqual([`${site.origin}/js/app.js?v=2`, `${site.origin}/img/a.png`]);
    expect(JSON.parse(String(page.resources))).toMatchObject([
      { url: `${site.origin}/js/app.js?v=2`, type: 'script', status: 200, content_type: 'text/javascript' },
      { url: `${site.origin}/img/a.png`, type: 'image', status: 200, size: 8 },
    ]);
  });

  test('images show their sizes if they are loaded, and the largest one is reported', async () => {
    const png = (bytes: number) => ({
      headers: { 'content-type': 'image/png' },
      body: new Uint8Array(bytes),
    });
    const site = await serveSite({
      '/': `<title>x</title><style>body { background: url(/back.png) }</style>
        <img src="/lamp.png" alt="A lamp" width="10" height="20"><img src="/late.png" loading="lazy" alt="">`,
      '/lamp.png': png(3_000),
      '/late.png': png(50),
      '/back.png': png(150_000),
    });
    const loaded = await pageOf(await rendered(site, {}, { rendering: { media: true } }));
    expect(JSON.parse(String(loaded.images))).toMatchObject([
      { url: `${site.origin}/lamp.png`, alt: 'A lamp', width: '10', height: '20', size: 3_000 },
      { url: `${site.origin}/late.png`, loading: 'lazy', size: 50 },
    ]);
    expect(loaded.largest_img_weight).toBe(147);
    const without = await pageOf(await rendered(site));
    expect(JSON.parse(String(without.images))).toMatchObject([{ size: null }, { size: null }]);
    expect(without.largest_img_weight).toBeNull();
  });
});

/** The browsers that a process has started. */
function browsersOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
        return /chrom/.test(stat) && Number(stat.split(') ')[1]?.split(' ')[1]) === parent;
      } catch {
        return false; // It has ended meanwhile.
      }
    })
    .map(Number);
}
