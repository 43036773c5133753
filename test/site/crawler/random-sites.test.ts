import { expect, test } from 'vitest';
import { crawlSite } from '../../support/crawl-site.ts';
import { ALL_ROUNDS, roundSeed } from '../../support/random.ts';
import { serveRandomSite } from '../../support/random-site.ts';

const ROUNDS = ALL_ROUNDS ? 20 : 1;

/** What stands in a site costs at most the page that it stands in. */
test.each(Array.from({ length: ROUNDS }, (_, round) => roundSeed() + round))(
  'a site with random bytes everywhere is crawled, by the seed %i',
  { timeout: 120_000 },
  async (seed) => {
    const site = await serveRandomSite(seed);
    const crawled = await crawlSite(site, { max_url: 5_000, max_depth: 3 });
    expect(crawled.endReason).toMatch(/^(?:ok|max_depth_reached)$/);
    const titles = await crawled.field('title');
    expect(titles).toMatchObject(site.good);
    expect(Object.keys(titles)).toContain('/x');
    expect(Object.keys(titles)).toEqual(expect.arrayContaining([...site.odd]));
    const problems = Object.values(await crawled.field('content_problem'));
    expect(problems).not.toContain('not_parsed');
  },
);
