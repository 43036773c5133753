import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Json } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { pageWith, type Site, serveSite } from '../../support/crawl-site.ts';
import { ALL_ROUNDS, seededRandom, testSeed } from '../../support/random.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

const PAGES = 3_000;
const KILLS = ALL_ROUNDS ? 20 : 5;
const CHILD = join(import.meta.dirname, '../../support/crawl-child.ts');

/** Each page leads to the next ones, to the first ones, and to one that is missing. */
function largeSite(): Promise<Site> {
  const page = (number: number): string =>
    pageWith(
      ...[1, 2, 3, 4].map((by) => `/page?${(number * 4 + by) % PAGES}`),
      '/',
      '/page?7',
      `/missing/${number % 50}`,
    );
  return serveSite({
    '/': page(0),
    '/page?': (request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(page(Number(/\d+/.exec(request.url ?? '')?.[0])));
    },
  });
}

function crawlIn(site: Site, folder: string) {
  return spawn(process.execPath, [CHILD, site.origin, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** What a crawl found, without what depends on the time of fetching. */
async function foundIn(
  folder: string,
): Promise<{ readonly pages: Record<string, Json>[]; readonly links: Record<string, Json>[] }> {
  const connection = await temporaryConnection(folder);
  await connection.run(`ATTACH '${join(folder, 'crawl.duckdb')}' AS crawl (READ_ONLY)`);
  await connection.run('USE crawl');
  const pages = 'SELECT * EXCLUDE (fetch_date, load_time) FROM fetched_pages ORDER BY url';
  return {
    pages: await connection.jsonRows(pages),
    links: await connection.jsonRows('SELECT * FROM fetched_links ORDER BY ALL'),
  };
}

test(`a crawl killed ${KILLS} times finds the same pages and links as an undisturbed one`, async () => {
  const random = seededRandom(testSeed());
  const site = await largeSite();
  const [calm, killed] = [await temporaryFolder(), await temporaryFolder()];
  const [code] = await once(crawlIn(site, calm), 'exit');
  expect(code).toBe(0);
  const requests = site.hits.length;
  for (let kills = 0; kills < KILLS; kills++) {
    const child = crawlIn(site, killed);
    const before = site.hits.length;
    const enough = Math.floor(random() * 700);
    // Killed by its own progress, so that the load of the machine does not matter.
    while (child.exitCode === null && site.hits.length - before < enough)
      await new Promise((resolve) => setImmediate(resolve));
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  const last = crawlIn(site, killed);
  const [lastCode] = await once(last, 'exit');
  expect(lastCode).toBe(0);
  const [expected, found] = [await foundIn(calm), await foundIn(killed)];
  expect(expected.pages.length).toBe(PAGES + 50 + 1);
  expect(found.pages).toEqual(expected.pages);
  expect(found.links).toEqual(expected.links);
  expect(requests).toBe(expected.pages.length);
});
