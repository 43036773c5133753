import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readFaults } from '../../scripts/demo-site/faults.ts';
import { serveDemoSite } from '../../scripts/demo-site/serve-site.ts';
import { capture } from '../app/cli/capture.ts';
import { demoDocuments } from '../support/demo-documents.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { CHROMIUM, MISSING } from './chromium.ts';

if (CHROMIUM === undefined) console.warn(MISSING);

test.skipIf(CHROMIUM === undefined)(
  'a rendered crawl finds each script fault of the demo site, and no other',
  async () => {
    const folder = join(await temporaryFolder(), 'site');
    await using site = await serveDemoSite(await demoDocuments());
    site.change();
    site.change();
    expect(await capture('init', folder)).toMatchObject({ code: 0 });
    const flags = ['--render', '--project-dir', folder];
    expect(await capture('crawl', site.origin, ...flags)).toMatchObject({ code: 0 });
    const found = `SELECT issue, url FROM mart.page_issues JOIN mart.issues USING (issue)
      WHERE category = 'rendering' ORDER BY ALL`;
    const { stdout } = await capture('query', found, '--json', '--project-dir', folder);
    const rows = JSON.parse(stdout.replaceAll(site.origin, '')) as { issue: string; url: string }[];
    const planted = readFaults().faults.filter(({ since }) => since === 3);
    expect(rows.map(({ issue, url }) => [issue, url])).toEqual(
      planted.flatMap(({ answers }) => answers.q32_what_to_do_first ?? []).toSorted(),
    );
  },
);
