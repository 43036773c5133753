import { describe, expect, test } from 'vitest';
import type { CrawlOptions } from '../../src/site/crawler/crawl-website.ts';
import { type Crawled, crawlSite, type Site, serveSite } from '../support/crawl-site.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { CHROMIUM, MISSING } from './chromium.ts';

if (CHROMIUM === undefined) console.warn(MISSING);

type Fields = Record<string, unknown>;
const FIGURES = [
  'cwv_bytes_saving',
  'cwv_cls',
  'cwv_fcp',
  'cwv_lcp',
  'cwv_performance_score',
  'cwv_si',
  'cwv_tbt',
  'cwv_time_saving',
  'cwv_tti',
];

/** Crawls a site and measures its pages in the Chromium of this machine, each once. */
function measured(
  site: Site,
  config: Fields = {},
  {
    pages = 1,
    loads = 1,
    ...options
  }: Partial<CrawlOptions> & { pages?: number | 'all'; loads?: number } = {},
): Promise<Crawled> {
  return crawlSite(site, config, {
    ...options,
    rendering: { browser: CHROMIUM },
    vitals: { pagesPerTemplate: pages, loads },
  });
}

/** The figures and warnings of the pages, by path. */
async function vitalsOf(crawled: Crawled): Promise<Record<string, Fields>> {
  const rows = await crawled.rows(
    `SELECT urlpath, processing_warnings AS warnings, cwv_measurement, ${FIGURES.join(', ')} FROM pages ORDER BY url`,
  );
  return Object.fromEntries(
    rows.map(({ urlpath, ...row }) => [
      String(urlpath),
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])),
    ]),
  );
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  return (value as { items?: unknown } | null)?.items ?? value;
}

const NOTHING = Object.fromEntries([...FIGURES, 'cwv_measurement'].map((name) => [name, null]));

function script(body: string) {
  return { headers: { 'content-type': 'text/javascript' }, body };
}

const text = (words: number): string => Array.from({ length: words }, (_, n) => `word${n}`).join(' ');

describe.skipIf(CHROMIUM === undefined)('web vitals', () => {
  test('sampled pages have plausible values that name their measuring conditions', async () => {
    const unused = Array.from({ length: 3000 }, (_, n) => `.unused-${n} { color: red; margin: ${n}px }`).join(
      '\n',
    );
    const site = await serveSite({
      '/': `<!doctype html><title>Start</title><h1>Start</h1>${[1, 2, 3].map((n) => `<a href="/shop/${n}">x</a>`).join('')}`,
      ...Object.fromEntries(
        [1, 2, 3].map((n) => [
          `/shop/${n}`,
          `<!doctype html><title>Shop</title><link rel="stylesheet" href="/shop.css"><h1>Shop ${n}</h1>
           <div id="late"></div><p>${text(200)}</p><script src="/slow.js"></script>`,
        ]),
      ),
      '/shop.css': { headers: { 'content-type': 'text/css' }, body: unused },
      '/slow.js': script(`
        setTimeout(() => {
          const until = performance.now() + 400; while (performance.now() < until);
          document.getElementById('late').style.height = '300px';
        }, 300);`),
    });
    const crawled = await measured(site, {}, { loads: 2 });
    const found = await vitalsOf(crawled);
    expect(found['/']).toMatchObject({ warnings: null, cwv_cls: 0, cwv_bytes_saving: 0 });
    expect(Number(found['/']?.cwv_performance_score)).toBeGreaterThan(0.9);
    const shop = found['/shop/1'] ?? {};
    expect(shop.cwv_measurement).toMatch(
      /^Lighthouse 13\.\d+\.\d+, Chromium [\d.]+, desktop, simulate: 40 ms, 10240 kbit\/s, CPU 1x slower, median of 2 loads$/,
    );
    for (const name of FIGURES) expect(shop[name], name).toEqual(expect.any(Number));
    const { cwv_fcp, cwv_lcp, cwv_tti, cwv_tbt, cwv_cls, cwv_bytes_saving } = shop as Record<string, number>;
    expect(cwv_fcp).toBeGreaterThan(0);
    expect(cwv_lcp).toBeGreaterThanOrEqual(cwv_fcp ?? 0);
    expect(cwv_tti).toBeLessThan(30_000);
    expect(cwv_tbt).toBeGreaterThan(100);
    expect(cwv_cls).toBeGreaterThan(0.01);
    expect(cwv_bytes_saving).toBeGreaterThan(50_000);
    expect(cwv_bytes_saving).toBeLessThan(200_000);
    for (const path of ['/shop/2', '/shop/3']) expect(found[path]).toEqual({ ...NOTHING, warnings: null });
    // Each once by the crawler, and the sample twice more.
    expect(site.hits.filter((path) => path === '/shop/1')).toHaveLength(3);
    expect(site.hits.filter((path) => path === '/shop/2')).toHaveLength(1);
  });

  test('requests of a page respect robots.txt, and reach no private address', async () => {
    const elsewhere = await serveSite({ '*': 'x' });
    const { port } = elsewhere;
    const site = await serveSite({
      '/robots.txt': {
        headers: { 'content-type': 'text/plain' },
        body: 'User-agent: *\nDisallow: /private/',
      },
      '/': `<!doctype html><title>x</title><h1>A page</h1><script src="/private/app.js"></script><script src="/try.js"></script>
        <img src="http://10.0.0.1/a.png"><img src="http://192.168.0.1:${port}/b.png">`,
      '/try.js': script(`
        new Worker('/worker.js');
        fetch('/hop').catch(() => {});
        fetch('/post', { method: 'POST' }).catch(() => {});
        new WebSocket('ws://localhost:${port}/socket');
        navigator.serviceWorker?.register('/service.js').catch(() => {});
        navigator.sendBeacon('/beacon', 'x');
        //# sourceMappingURL=/private/try.js.map`),
      '/worker.js': script("fetch('/private/by-worker'); fetch('/by-worker')"),
      '/hop': { status: 302, headers: { location: '/private/hopped' } },
      '/favicon.ico': { headers: { 'content-type': 'image/png' }, body: '' },
      '/by-worker': 'x',
    });
    const crawled = await measured(site, { agent_kind: 'mobile' });
    const { warnings, cwv_lcp, cwv_measurement } = (await vitalsOf(crawled))['/'] ?? {};
    expect(cwv_measurement).toMatch(/, mobile, simulate: 150 ms, 1638 kbit\/s, CPU 4x slower, one load$/);
    expect([warnings, cwv_lcp]).toEqual([['vitals_incomplete'], expect.any(Number)]);
    expect([...new Set(site.hits)].toSorted()).toEqual(
      ['/', '/by-worker', '/favicon.ico', '/hop', '/try.js', '/worker.js'].toSorted(),
    );
    expect(elsewhere.requests).toEqual([]);
  });

  test('a hostile page loses only its own values, and the crawl continues', async () => {
    const hostile: Record<string, string> = {
      '/endless': 'setTimeout(() => { for (;;); }, 100)',
      '/buffers': 'const all = []; setInterval(() => all.push(new Uint8Array(5e7).fill(1)), 1);',
      '/requests': 'let n = 0; setInterval(() => fetch("/r?" + n++), 1);',
      '/away': 'location.href = "/target"',
    };
    const site = await serveSite({
      '/': `<title>start</title><h1>Start</h1>${Object.keys(hostile).map((path) => `<a href="${path}">x</a>`)}`,
      '/r?': 'x',
      '/target': '<title>target</title><h1>Target</h1>',
      ...Object.fromEntries(
        Object.entries(hostile).map(([path, body]) => [
          path,
          `<!doctype html><title>plain</title><h1>Plain</h1><script>${body}</script>`,
        ]),
      ),
    });
    const crawled = await measured(site, {}, { pages: 'all' });
    expect(crawled.endReason).toBe('ok');
    const found = await vitalsOf(crawled);
    const warned = (...warnings: string[]) => ({ ...NOTHING, warnings });
    expect(found).toMatchObject({
      '/': { warnings: null, cwv_lcp: expect.any(Number) },
      '/endless': warned('vitals_timeout'),
      '/buffers': warned('vitals_memory'),
      '/requests': warned('vitals_request_limit'),
      '/away': warned('vitals_redirected'),
    });
    expect(site.hits.filter((path) => path.startsWith('/r?')).length).toBeLessThan(500);
  });

  test('an interrupted crawl continues, and measures no page again', async () => {
    const interruption = new AbortController();
    const paths = ['/', '/1', '/2'];
    const links = paths.map((path) => `<a href="${path}">x</a>`).join('');
    let loads = 0;
    const site = await serveSite({
      ...Object.fromEntries(
        paths.map((path) => [path, `<!doctype html><title>x</title>${links}<script src="/s.js"></script>`]),
      ),
      '/s.js': (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/javascript' });
        response.end('1');
        if (++loads === 2) interruption.abort();
      },
    });
    const folder = await temporaryFolder();
    const options = { folder, pages: 'all' } as const;
    await expect(measured(site, {}, { ...options, signal: interruption.signal })).rejects.toThrow();
    const crawled = await measured(site, {}, options);
    const found = Object.values(await vitalsOf(crawled));
    expect(found.map(({ cwv_lcp }) => cwv_lcp)).toEqual(paths.map(() => expect.any(Number)));
    // The second page was interrupted.
    expect(loads).toBe(4);
  });
});
