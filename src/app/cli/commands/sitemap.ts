import { resolve } from 'node:path';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { counted } from '../../../core/text/amounts.ts';
import { readSitemapPages } from '../../answers/explore/pages/read-sitemap-pages.ts';
import { openWarehouse } from '../../answers/query/open-warehouse.ts';
import { checkOutputFolder, filesOfProject } from '../../answers/query/result/check-output-file.ts';
import type { Command } from '../command.ts';
import { writeSitemaps } from '../local/write-sitemaps.ts';
import { EXPLORE_FLAGS, endText } from '../reports/explored.ts';

export const sitemap: Command = {
  name: 'sitemap',
  summary: 'write sitemaps of the indexable pages of a crawl',
  flags: { ...EXPLORE_FLAGS, output: { value: 'DIR', help: 'the folder for the files (sitemaps)' } },
  async run(invocation) {
    const output = invocation.text('output') ?? 'sitemaps';
    const settings = await invocation.settings();
    const folder = resolve(invocation.workingDirectory, output);
    await checkOutputFolder(folder, filesOfProject(settings));
    await using warehouse = await openWarehouse(invocation, settings);
    const asked = { project: invocation.text('project'), crawl: invocation.text('crawl') };
    const { crawl, pieces } = await readSitemapPages(warehouse, asked, invocation.signal);
    const { written, tooLong } = await writeSitemaps(folder, pieces);
    if (written.length === 0)
      throw new CrawlhouseError(
        'usage',
        `the crawl ${crawl.crawl_id} has no indexable page, or does not say which pages are indexable`,
        { hint: `crawlhouse pages --crawl ${crawl.crawl_id} lists its pages` },
      );
    if (tooLong > 0) invocation.say(`${counted(tooLong, 'URL')} of more than 2,048 characters left out\n`);
    if (invocation.has('json')) await invocation.printJson({ crawl_id: crawl.crawl_id, sitemaps: written });
    else
      await invocation.print(
        [
          `${crawl.project}, crawl of ${endText(crawl.ended_at)} (${crawl.crawl_id})`,
          ...written.map(
            ({ index, urls, files }) => `${index}: ${counted(urls, 'URL')} in ${counted(files, 'file')}`,
          ),
          '',
        ].join('\n'),
      );
    return 0;
  },
};
