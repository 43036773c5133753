import { afterAll, beforeAll, expect, test } from 'vitest';
import { readRehearsal } from '../../../../../src/app/answers/explore/rehearse/read-rehearsal.ts';
import type { QueryProcess } from '../../../../../src/app/answers/query/query-process.ts';
import { at, dataset, pagesOf, type Sites } from '../../../../questions/sites/sites.ts';
import { publishedSites } from '../../../../support/published-sites.ts';
import { sharedFolder } from '../../../../support/temporary.ts';

const HOST = 'https://shop.example';
const page = pagesOf(HOST);
const GOOGLE = { user_agent: 'Googlebot/2.1', is_bot: true, status_code: 200, bot_verification: 'verified' };
const line = (day: string, path: string, more: object = {}) => ({
  day,
  url: HOST + path,
  ...GOOGLE,
  ...more,
});
const clicks = (date: string, path: string, count: number) => {
  return { date, url: HOST + path, query: 'q', clicks: count, impressions: 90, position: 1 };
};

const SITES: Sites = {
  projects: [
    {
      id: 'p',
      name: 'Shop',
      startUrl: `${HOST}/`,
      logEvents: dataset([
        line('2025-09-01', '/sale'),
        line('2026-03-01', '/sale'),
        line('2026-03-02', '/sale'),
        line('2026-03-02', '/sale', { bot_verification: 'refuted' }),
        line('2026-03-02', '/sale', { user_agent: 'GPTBot/1.2', bot_verification: 'unchecked' }),
      ]),
      ranking: dataset([clicks('2026-03-01', '/sale', 7), clicks('2026-03-02', '/sale', 2)]),
    },
  ],
  crawls: [
    {
      ...{ id: 'c', projectId: 'p', status: 'done', endReason: 'ok', config: { id: 'web', name: 'Web' } },
      endedAt: at('2026-03-03T03:00:00Z'),
      pages: dataset([
        page('/', { depth: 0, robots_txt_denied: false }),
        page('/sale', { depth: 1, robots_txt_denied: false }),
      ]),
      requests: dataset([
        { url: `${HOST}/robots.txt`, kind: 'robots_txt', status_code: 200, content: 'User-agent: *\n' },
      ]),
      links: dataset([{ origin: `${HOST}/`, target: `${HOST}/sale`, follow: true, intern: true }]),
    },
  ],
};

const folder = sharedFolder();
let warehouse: QueryProcess;
beforeAll(async () => {
  warehouse = await publishedSites(folder, SITES);
}, 300_000);
afterAll(() => warehouse?.[Symbol.asyncDispose]());

test('only verified hits and clicks of the last 90 days are at stake, with the days that they cover', async () => {
  const change = {
    kind: 'robots',
    given: 'robots.txt',
    content: 'User-agent: *\nDisallow: /sale\n',
  } as const;
  const rehearsal = await readRehearsal(warehouse, { change }, new AbortController().signal);
  const days = { from: '2026-03-01', to: '2026-03-02', days: 2 };
  expect([rehearsal.clicks, rehearsal.hits]).toEqual([
    { covered: days, why: null },
    { covered: days, why: null },
  ]);
  expect(rehearsal.pages).toMatchObject([{ url: `${HOST}/sale`, change: 'blocked', clicks: 9, hits: 2 }]);
  const agents = rehearsal.agents.map(({ agent, hits }) => [agent, hits]);
  expect(agents).toContainEqual(['Googlebot', 2]);
  // Its only hit is unchecked.
  expect(agents).toContainEqual(['GPTBot', null]);
  expect(agents).toContainEqual(['ClaudeBot', 0]);
  // No request belongs to a token that only rules contain.
  expect(agents).toContainEqual(['Google-Extended', null]);
  for (const { sql } of rehearsal.sql) await warehouse.rows(sql, new AbortController().signal);
});
