import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { seededRandom } from '../support/random.ts';

/**
 * A site of pages that one script bundle shows, in a process of its own: `app-site.ts PAGES`. Prints its port. The bundle is a
 * published library (d3, 280 kB) and an application of a few lines. The text and links of a page stand in its HTML as
 * data, as pages of a framework have them.
 */
const [pages = 0] = process.argv.slice(2).map(Number);
const LINKS = 30;
const BRANCHES = 8;
const PARAGRAPHS = 5;
const LIBRARY = join(import.meta.dirname, '../../node_modules/d3/dist/d3.min.js');
const APPLICATION = `
  const { title, paragraphs, links } = JSON.parse(d3.select('#data').text());
  document.title = title;
  const main = d3.select('main');
  main.append('h1').text(title);
  main.selectAll('p').data(paragraphs).join('p').text((text) => text);
  const link = main.append('ul').selectAll('a').data(links).join('li').append('a');
  link.attr('href', (number) => '/page/' + number).text((number) => 'Page ' + number);
  setTimeout(() => main.append('footer').text('Shown'), 1000);`;
const BUNDLE = Buffer.from(`${readFileSync(LIBRARY, 'utf8')}\n${APPLICATION}`);
const random = seededRandom(15);
const WORDS = Array.from({ length: 2_000 }, () =>
  random()
    .toString(36)
    .slice(2, 4 + Math.floor(random() * 8)),
);

function page(number: number): string {
  const words = (from: number, count: number): string =>
    Array.from({ length: count }, (_, index) => WORDS[(from + index * 17) % WORDS.length]).join(' ');
  const below = Array.from({ length: BRANCHES }, (_, index) => number * BRANCHES + index + 1);
  const anywhere = Array.from({ length: LINKS - BRANCHES }, (_, index) => number * 31 + index * index * 97);
  const data = {
    title: words(number * 7, 6),
    paragraphs: Array.from({ length: PARAGRAPHS }, (_, index) => words(number * 3 + index, 50)),
    links: [...below.filter((target) => target < pages), ...anywhere.map((target) => target % pages)],
  };
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Loading</title>
<link rel="canonical" href="/page/${number}"><script src="/app.js" defer></script></head>
<body><nav><a href="/page/0">Start</a></nav><main></main>
<script type="application/json" id="data">${JSON.stringify(data)}</script></body></html>`;
}

const server = createServer((request, response) => {
  const number = Number(/^\/page\/(\d+)$/.exec(request.url ?? '')?.[1] ?? Number.NaN);
  const [type, body] =
    request.url === '/app.js' ? ['text/javascript', BUNDLE] : ['text/html; charset=utf-8', page(number)];
  if (request.url !== '/app.js' && !(number < pages)) return void response.writeHead(404).end();
  // As sites have it: a browser may keep the bundle, and not the pages.
  const cached = request.url === '/app.js' ? { 'cache-control': 'max-age=3600' } : {};
  response.writeHead(200, { 'content-type': type, ...cached }).end(body);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
