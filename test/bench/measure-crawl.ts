import { join } from 'node:path';
import { keepHeapSmall } from '../../src/app/cli/keep-heap-small.ts';
import { Database } from '../../src/core/duckdb/duckdb.ts';
import { CRAWL_DATABASE, crawlWebsite } from '../../src/site/crawler/crawl-website.ts';
import { cpuSeconds, peakRss } from './resources.ts';

/** Measures our crawler in a process of its own: `measure-crawl.ts START_URL FOLDER [--render]`. */
keepHeapSmall();
/** What a script shows late. */
const SHOWN = { name: 'shown', css: 'footer', take: 'exists' };
const [startUrl = '', folder = '', render] = process.argv.slice(2);
const begun = performance.now();
const seconds = (): number => (performance.now() - begun) / 1000;
let fetched = { fetchSeconds: Number.NaN, fetchCpu: Number.NaN, fetchRss: Number.NaN };
const result = await crawlWebsite(
  {
    name: 'bench',
    start_url: startUrl,
    user_agent: 'bench',
    max_speed: 100_000,
    max_url: 10_000_000,
    ...(render === '--render' ? { js_rendering: true, custom_fields: [SHOWN] } : {}),
  },
  {
    folder,
    onProgress({ phase }) {
      if (phase === 'analysis' && Number.isNaN(fetched.fetchSeconds))
        fetched = { fetchSeconds: seconds(), fetchCpu: cpuSeconds(), fetchRss: peakRss() };
    },
  },
);
const whole = { seconds: seconds(), cpu: cpuSeconds(), rss: peakRss() };
await using database = await Database.open({
  memoryLimit: '100MB',
  threads: 1,
  tempDirectory: join(folder, 'spill'),
});
using connection = await database.connect();
await connection.run(`ATTACH '${join(folder, CRAWL_DATABASE)}' AS crawl (READ_ONLY)`);
const count = async (from: string): Promise<number> =>
  Number(await connection.scalar(`SELECT count(*) FROM crawl.${from}`));
const links = await count('links');
const shown = render === '--render' ? await count('pages WHERE custom_shown') : 0;
process.stdout.write(
  `${JSON.stringify({ ...whole, ...fetched, pages: result.fetchedUrls, links, shown, endReason: result.endReason })}\n`,
);
