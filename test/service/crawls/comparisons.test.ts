import { expect, test } from 'vitest';
import type { CrawlOverCrawlInput } from '../../../src/client/resources/crawl-over-crawls.ts';
import { living, refusal } from './living.ts';

/** A domain is expected in place of this URL. */
const TO_A_URL: CrawlOverCrawlInput = {
  configuration: {
    name: 'moved',
    url_transformations: {
      type: 'replace_domain',
      crawl_to_transform: 1,
      config: { find: 'a.example', replace: 'https://b.example/' },
    },
  },
};

test('only two crawls of one project and configuration, both with a live report, can be compared', async () => {
  const life = await living({ generate: ['projects=2,crawls=2,pages=5,columns=3'] });
  const { client, projectId, workspaceId } = life;
  const [crawl1, crawl2] = (await life.crawls()).map(({ id }) => id) as [string, string];
  const { items } = await client.all('crawls', { workspace_id: workspaceId });
  const foreign = items.find((crawl) => crawl.project_id !== projectId)?.id ?? '';
  const { id: running } = await client.call('launchCrawl', {
    project_id: projectId,
    query: { configId: await life.config() },
  });
  const launch = (a: string, b: string, input?: CrawlOverCrawlInput) =>
    refusal(
      client.call('launchCrawlOverCrawl', {
        project_id: projectId,
        query: { crawl1: a, crawl2: b },
        body: input,
      }),
    );
  expect(await launch(crawl1, 'none')).toMatchObject({ code: 'not_found' });
  expect(await launch(crawl1, crawl1)).toMatchObject({ code: 'invalid_request' });
  expect(await launch(crawl1, foreign)).toMatchObject({
    message: expect.stringContaining('do not both belong'),
  });
  expect(await launch(crawl1, running)).toMatchObject({
    message: expect.stringContaining('same configuration'),
  });
  await life.patch('crawls', crawl2, { status: 'archived' });
  expect(await launch(crawl1, crawl2)).toMatchObject({ code: 'wrong_state' });
  await life.patch('crawls', crawl2, { status: 'done' });
  expect(await launch(crawl1, crawl2, TO_A_URL)).toMatchObject({
    message: expect.stringContaining('url_transformations.config.replace'),
  });
  await life.patch('projects', projectId, { features: ['crawl'] });
  expect(await launch(crawl1, crawl2)).toMatchObject({ code: 'missing_feature' });
});
