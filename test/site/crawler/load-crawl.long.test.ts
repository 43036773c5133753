import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Database } from '../../../src/core/duckdb/duckdb.ts';
import { Frontier } from '../../../src/site/crawler/frontier/frontier.ts';
import { RecordFiles } from '../../../src/site/crawler/frontier/record-files.ts';
import { loadCrawl } from '../../../src/site/crawler/load-crawl.ts';
import { plainLines } from '../../../src/site/crawler/parse/threads/parse-messages.ts';
import { link, page } from '../../support/crawl-records.ts';
import { temporaryFolder } from '../../support/temporary.ts';

/** Links of one file, and files. */
const LINKS = 50_000;
const FILES = 30;

test('the memory of a load does not grow with links to the same pages', async () => {
  const folder = await temporaryFolder();
  using frontier = new Frontier(folder);
  const files = await RecordFiles.open(folder, []);
  const pages = [page('/'), page('/seed', { sources: ['ingested_data'] })].map((one) =>
    plainLines(lineOf(one)),
  );
  const links = Array.from({ length: LINKS }, (_, index) =>
    plainLines(lineOf(link('/', index % 2 === 0 ? '/seed' : `/page-with-a-long-name-${index % 1000}`))),
  );
  frontier.commit([], await files.write({ pages, links: [], items: [] }));
  for (let file = 0; file < FILES; file++)
    frontier.commit([], await files.write({ pages: [], links, items: [] }));
  const tempDirectory = join(folder, 'spill');
  await using database = await Database.open({ memoryLimit: '110MB', threads: 1, tempDirectory });
  using connection = await database.connect();
  await loadCrawl(connection, { folder, path: join(folder, 'crawl.duckdb'), frontier });
  const sources = await connection.jsonRows('SELECT url, sources FROM fetched_pages ORDER BY url');
  expect(sources.map((row) => row.sources)).toEqual([['crawler'], ['crawler', 'ingested_data']]);
});

function lineOf(record: object): string {
  return `${JSON.stringify(record)}\n`;
}
