import { crawlWebsite } from '../../src/site/crawler/crawl-website.ts';

/** Crawls a site in a process of its own, which a test may kill: `crawl-child.ts ORIGIN FOLDER`. */
const [origin = '', folder = ''] = process.argv.slice(2);
const { endReason } = await crawlWebsite(
  { name: 'test', start_url: `${origin}/`, user_agent: 'testbot', max_speed: 10_000, max_depth: 50 },
  { folder, threads: 1, retryDelayMs: 1 },
);
process.stdout.write(`${endReason}\n`);
