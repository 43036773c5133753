import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { serveSite } from '../support/crawl-site.ts';
import { crawlhouse, rawProjectFolder } from '../support/project.ts';
import { CHROMIUM, MISSING, openTab, startChromium } from './chromium.ts';

if (CHROMIUM === undefined) console.warn(MISSING);

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

describe.skipIf(CHROMIUM === undefined)('a report about a hostile website, opened from disk', () => {
  test('loads nothing, runs nothing and links only to pages', async () => {
    const leaks: string[] = [];
    const beacon = await serveSite({
      '*': (request, response) => {
        leaks.push(String(request.url));
        response.end();
      },
    });
    const leak = `${beacon.origin}/leak`;
    const texts = [
      `</title><script>window.pwned = 1; fetch('${leak}/script')</script>`,
      `<img src="${leak}/img" onerror="window.pwned = 2">`,
      `</style><link rel=stylesheet href=${leak}/css><style>@import '${leak}/import';`,
      `</svg><svg onload="window.pwned = 3"><image href="${leak}/svg"/>`,
      `--></textarea><iframe src="${leak}/frame" srcdoc="<script>parent.pwned = 4</script>"></iframe><!--`,
      `"><meta http-equiv=refresh content="0;url=${leak}/refresh"><base href="${leak}/">`,
      `{{constructor.constructor('window.pwned = 5')()}} \${window.pwned = 6} <%= 7 %>`,
      `<a href="javascript:window.pwned = 8">x</a> javascript:window.pwned=9 data:text/html,<script>1</script>`,
    ];
    const paths = texts.map(
      (text, index) => `/${index}-${encodeURI(text).replaceAll('#', '%23').replaceAll('?', '%3F')}`,
    );
    const raw = [
      `/x'onmouseover='window.pwned=10`,
      '/y;<script>window.pwned=11</script>',
      '/z"onfocus="window.pwned=12" autofocus="',
    ];
    const links = [...paths, ...raw, `${leak}-not-crawled`].map(
      (path) => `<a href="${escaped(path)}">${escaped(texts[0] ?? '')}</a>`,
    );
    const js = `<a href="javascript:window.pwned=13">j</a><a href="data:text/html,<script>1</script>">d</a>`;
    const page = (text: string) =>
      `<html><head><title>${escaped(text)}</title><meta name=description content="${escaped(text)}"><link rel=canonical href="javascript:window.pwned=14"></head><body><h1>${escaped(text)}</h1>${links.join('')}${js}</body></html>`;
    const site = await serveSite({
      '*': (request, response) => {
        const index = Number(/^\/(\d)-/.exec(request.url ?? '')?.[1] ?? 0);
        response
          .writeHead(index === 3 ? 404 : 200, { 'content-type': 'text/html' })
          .end(page(texts[index] ?? ''));
      },
    });
    const folder = await rawProjectFolder();
    await writeFile(join(folder, 'crawlhouse.yaml'), '{}\n');
    const today = new Date().toISOString().slice(0, 10);
    const notes = texts.map((text) => ({ date: today, kind: 'deployment', text: text.slice(0, 200) }));
    await writeFile(join(folder, 'notes.yaml'), JSON.stringify({ notes }));
    const done = async (...argv: string[]) => {
      const { status, stderr } = await crawlhouse(folder, null, argv);
      expect([argv[0], status, stderr]).toEqual([argv[0], 0, expect.any(String)]);
    };
    await done('crawl', `${site.origin}/`);
    await done('crawl', `${site.origin}/`);
    await done('report', '--note', texts.join(' '), '--output', 'report.html');
    const html = await readFile(join(folder, 'report.html'), 'utf8');
    // What is hostile is in the report, as text.
    expect(html).toContain('window.pwned = 1');
    leaks.length = 0;
    await using browser = await startChromium();
    const { tab, complaints } = await openTab(browser, { url: '', cookie: '' });
    const asked: string[] = [];
    const opened: string[] = [];
    tab.on('request', (request) => asked.push(request.url()));
    tab.on('dialog', (dialog) => void dialog.dismiss());
    tab.context().on('page', (other) => opened.push(other.url()));
    const address = pathToFileURL(join(folder, 'report.html')).href;
    await tab.goto(address);
    // Whatever can be unfolded is seen, hovered and focused.
    await tab.evaluate(`
      for (const one of document.querySelectorAll('details')) one.open = true;
      for (const one of document.querySelectorAll('*'))
        for (const type of ['mouseover', 'focus', 'load', 'error']) one.dispatchEvent(new Event(type));
    `);
    await tab.waitForTimeout(500);
    const active =
      'script, iframe, object, embed, form, base, link[rel=stylesheet], meta[http-equiv=refresh]';
    const found = await tab.evaluate(`({
      pwned: window.pwned ?? null,
      active: document.querySelectorAll('${active}').length,
      handlers: [...document.querySelectorAll('*')].flatMap((one) =>
        one.getAttributeNames().filter((name) => name.startsWith('on'))),
      schemes: [...document.querySelectorAll('[href], [src]')]
        .map((one) => one.getAttribute('href') ?? one.getAttribute('src'))
        .filter((to) => !to.startsWith('#') && !['http:', 'https:'].includes(new URL(to, 'x:').protocol)),
    })`);
    expect(found).toEqual({ pwned: null, active: 0, handlers: [], schemes: [] });
    expect([asked, opened, leaks, tab.url()]).toEqual([[address], [], [], address]);
    expect(complaints).toEqual([]);
  });
});
