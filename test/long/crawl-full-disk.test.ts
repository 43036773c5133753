import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { toCrawlhouseError } from '../../src/core/errors.ts';
import { crawlSite, pageWith, serveSite } from '../support/crawl-site.ts';
import { noSmallDisk, smallDisk } from '../support/small-disk.ts';

const PAGES = 3_000;
const reason = noSmallDisk();

test.skipIf(reason !== null)(
  `a crawl whose disk is full ends at once with the cause, and goes on when there is room${reason === null ? '' : ` (skipped: ${reason})`}`,
  async () => {
    const paths = Array.from({ length: PAGES }, (_, index) => `/p${index}`);
    // Text that can't be compressed.
    const page = (): string =>
      pageWith(...Array.from({ length: 4 }, () => `/x${randomBytes(500).toString('hex')}`));
    const site = await serveSite({
      '/': pageWith(...paths),
      ...Object.fromEntries(paths.map((path) => [path, page()])),
    });
    const disk = await smallDisk(3);
    const folder = `${disk.path}/crawl`;
    const config = { max_depth: 1 };
    const error = await crawlSite(site, config, { folder }).then(() => null, toCrawlhouseError);
    expect(error?.code).toBe('disk');
    // Batches have at most 500 pages; one may be on its way while another is written.
    expect(site.hits.length).toBeLessThan(PAGES);
    disk.resize(400);
    const crawled = await crawlSite(site, config, { folder });
    expect(crawled).toMatchObject({ fetchedUrls: PAGES + 1 });
  },
);
