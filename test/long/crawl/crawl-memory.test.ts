import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { text } from '../../../src/core/duckdb/duckdb.ts';
import { peakOf } from '../../support/peak-memory.ts';
import { crawlhouseProcess, projectFolder } from '../../support/project.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

const MB = 1_000_000;
/** The most that a crawl takes, whatever the site sends (docs/crawler.md). */
const MOST_MB = 600;

const filled = (piece: string, bytes: number): string => piece.repeat(Math.ceil(bytes / piece.length));
/** Bodies that take much of a parser, each made when it is asked for. */
const BODIES: Readonly<Record<string, () => string>> = {
  nested: () => `<title>nested</title>${filled('<div>', 5 * MB)}`,
  elements: () => `<title>elements</title>${filled('<b>x</b>', 9 * MB)}`,
  unclosed: () => `<title>unclosed</title><table>${filled('<tr><td>', 9 * MB)}`,
  attributes: () =>
    `<title>attributes</title><p ${Array.from({ length: 900_000 }, (_, n) => `a${n}`).join(' ')}>`,
  'one attribute': () => `<title>one attribute</title><p class="${filled('a', 9 * MB)}">`,
  links: () =>
    `<title>links</title>${Array.from({ length: 300_000 }, (_, n) => `<a href="/x/${n}">y</a>`).join('')}`,
  comment: () => `<title>comment</title><!-- ${filled('-', 9 * MB)}`,
  entities: () => `<title>entities</title><p>${filled('&amp;', 9 * MB)}`,
  words: () =>
    `<title>words</title><p>${Array.from({ length: 1_100_000 }, (_, n) => n.toString(36)).join(' ')}`,
  formatting: () => `<title>formatting</title>${filled('<p><b><i>', 9 * MB)}`,
  script: () =>
    `<title>script</title><script type="application/ld+json">${filled('[{"a":', 9 * MB)}</script>`,
};

/** A site whose pages are all of a kind, or one of each kind. */
async function hostileSite(paths: readonly string[], isPacked = false): Promise<string> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '/').split('/')[1] ?? '';
    response.setHeader('content-type', 'text/html; charset=utf-8');
    const make = BODIES[path];
    if (request.url === '/') response.end(paths.map((one) => `<a href="/${one}">x</a>`).join('\n'));
    else if (make === undefined) response.writeHead(404).end();
    else if (isPacked) response.setHeader('content-encoding', 'gzip').end(gzipSync(make()));
    else response.end(make());
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test.each([
  ['ten pages of a million elements', Array.from({ length: 10 }, (_, n) => `elements/${n}`), false],
  ['one page of a million nested elements', ['nested'], false],
  ['a page of each kind', Object.keys(BODIES).map(encodeURIComponent), false],
  ['a page of each kind, small on the wire', Object.keys(BODIES).map(encodeURIComponent), true],
] as const)('a crawl stays within its memory limit: %s', async (_name, paths, isPacked) => {
  const folder = await projectFolder();
  const url = await hostileSite(paths, isPacked);
  const child = crawlhouseProcess(folder, ['crawl', url, '--max-urls', '60'], {});
  child.stdout.resume();
  let said = '';
  child.stderr.on('data', (piece: Buffer) => {
    said += String(piece);
  });
  const { status, peak } = await peakOf(child);
  process.stdout.write(`${_name}: ${peak} MB\n`);
  expect([status, said]).toEqual([0, expect.any(String)]);
  const connection = await temporaryConnection(await temporaryFolder());
  await connection.run(`ATTACH ${text(join(folder, 'warehouse.duckdb'))} AS made (READ_ONLY)`);
  // Each was fetched, and read as far as there is memory for it.
  const pages = await connection.rows(
    `SELECT split_part(url, '/', 4) AS path, title FROM made.mart.pages WHERE status_code = 200 AND weight > 0 AND depth > 0`,
  );
  const titles = paths.map((path) => decodeURIComponent(path).split('/')[0]);
  expect(pages.map(({ title }) => title).toSorted()).toEqual(titles.toSorted());
  expect(peak).toBeLessThan(MOST_MB);
});
