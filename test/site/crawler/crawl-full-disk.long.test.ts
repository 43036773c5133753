import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toCrawlhouseError } from '../../../src/core/errors/errors.ts';
import { crawlSite, pageWith, serveSite } from '../../support/crawl-site.ts';
import { crawlhouse, rawProjectFolder } from '../../support/project.ts';
import { noSmallDisk, smallDisk } from '../../support/small-disk.ts';

const PAGES = 3_000;
const reason = noSmallDisk();

async function largeSite() {
  const paths = Array.from({ length: PAGES }, (_, index) => `/p${index}`);
  // Text that can't be compressed.
  const page = (): string =>
    pageWith(...Array.from({ length: 4 }, () => `/x${randomBytes(500).toString('hex')}`));
  return serveSite({ '/': pageWith(...paths), ...Object.fromEntries(paths.map((path) => [path, page()])) });
}

test.skipIf(reason !== null)(
  `a crawl on a full disk ends immediately with the cause, and continues once there is space${reason === null ? '' : ` (skipped: ${reason})`}`,
  async () => {
    const site = await largeSite();
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

test.skipIf(reason !== null)(
  `the crawl command on a full disk names path and setting, and continues by its hint${reason === null ? '' : ` (skipped: ${reason})`}`,
  async () => {
    const site = await largeSite();
    const disk = await smallDisk(6);
    const folder = await rawProjectFolder();
    const crawl = (...words: string[]) =>
      crawlhouse(folder, null, ['crawl', ...words, '--allow-private'], { CRAWLHOUSE_STATE_DIR: disk.path });
    const { status, stderr } = await crawl(
      `${site.origin}/`,
      '--i-own-this-site',
      '--speed',
      '500',
      '--max-depth',
      '1',
    );
    const said = stderr.replaceAll(/\n {2,}/g, ' ');
    const place = `${disk.path} (state_dir)`;
    expect([status, said]).toEqual([3, expect.stringContaining(`Error: no space for ${place}: `)]);
    expect(said).toMatch(
      new RegExp(
        `Try: free some space on the disk of ${place.replaceAll(/[()]/g, '.')}; or .*CRAWLHOUSE_STATE_DIR.*, then: .*crawl --resume`,
      ),
    );
    disk.resize(400);
    // Its report asks models, which this folder does not have.
    const { stderr: resumed } = await crawl('--resume');
    expect(resumed).toContain(`Continuing the crawl of ${site.origin}/`);
    expect(resumed).not.toMatch(/no space|paused/);
  },
);

test.skipIf(reason !== null)(
  `a crawl that only prints progress ends the same way on a full disk${reason === null ? '' : ` (skipped: ${reason})`}`,
  async () => {
    const disk = await smallDisk(20);
    // No page is written: the next to write is who tells twice a second how far the crawl is.
    const site = await serveSite({
      '/': pageWith('/slow'),
      '/slow': (request) => {
        try {
          writeFileSync(join(disk.path, 'other'), randomBytes(40_000_000));
        } catch {
          // The disk is full.
        }
        request.socket.setTimeout(60_000);
      },
    });
    const crawl = ['crawl', `${site.origin}/`, '--i-own-this-site', '--allow-private'];
    const { status, stderr } = await crawlhouse(await rawProjectFolder(), null, crawl, {
      CRAWLHOUSE_STATE_DIR: disk.path,
    });
    expect([status, stderr.replaceAll(/\n {2,}/g, ' ')]).toEqual([
      3,
      expect.stringContaining(`Error: no space for ${disk.path} (state_dir): `),
    ]);
  },
);
