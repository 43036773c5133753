import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asking } from '../../../../src/app/answers/explore/chosen-crawls.ts';
import { withIgnored } from '../../../../src/app/answers/explore/issues/ignored-pages.ts';
import { readIssueList } from '../../../../src/app/answers/explore/issues/issue-list.ts';
import { readIssues } from '../../../../src/app/answers/explore/issues/read-issues.ts';
import { filterOfQuery } from '../../../../src/app/answers/explore/pages/page-filter.ts';
import { readPages } from '../../../../src/app/answers/explore/pages/read-pages.ts';
import type { QueryProcess } from '../../../../src/app/answers/query/query-process.ts';
import { TICKET_FORM } from '../../../../src/app/console/forms/change-ticket-form.ts';
import type { FormContext, SentForm } from '../../../../src/app/console/forms/console-form.ts';
import {
  loadTickets,
  type Ticket,
  TicketSettings,
} from '../../../../src/etl/project/settings/tickets/tickets.ts';
import { publishedSites } from '../../../support/published-sites.ts';
import { sharedFolder, temporaryFolder } from '../../../support/temporary.ts';
import { STORY } from '../../answers/explore/story-site.ts';

const folder = sharedFolder();
const signal = new AbortController().signal;
let warehouse: QueryProcess;
beforeAll(async () => {
  const times = 'created_at: 2026-01-01T00:00:00Z, changed_at: 2026-01-01T00:00:00Z';
  await writeFile(
    join(folder, 'tickets.yaml'),
    `tickets:
  - { id: t1, project: Shop, issue: one_inlink, crawl: shop-3, segmentation: (directory), segment: /lamps/, state: ignored, until: 2999-01-01, ${times} }
  - { id: t2, project: Shop, issue: one_inlink, crawl: shop-3, state: ignored, until: 2020-01-01, ${times} }
`,
  );
  await writeFile(
    join(folder, 'segments.yaml'),
    'segmentations:\n  - { name: kind, segments: [{ name: lamps, url: /lamps/ }] }\n',
  );
  warehouse = await publishedSites(folder, STORY, folder);
});
afterAll(() => warehouse?.[Symbol.asyncDispose]());

/** Sends the form of a new ticket to a project folder without tickets. */
async function make(fields: Readonly<Record<string, string>>): Promise<readonly Ticket[]> {
  const projectDir = await temporaryFolder();
  const context = {
    settings: { projectDir, state_dir: projectDir, tickets: TicketSettings.parse({}) },
    readers: {
      rowsOnce: (_schema: unknown, sql: string, given: ReadonlyMap<string, string>) =>
        warehouse.rows(sql, signal, given),
      warehouse: { use: (work: (one: QueryProcess) => unknown) => work(warehouse) },
    },
  } as unknown as FormContext;
  const sent = { form: new URLSearchParams(fields), path: { project_id: 'Shop' } } as unknown as SentForm;
  expect(await TICKET_FORM.act(sent, context, signal)).toBe('/projects/p-shop/tickets');
  return await loadTickets(projectDir);
}

test('a ticket of an issue contains all its pages, or those of a first directory by its unique name', async () => {
  expect(
    await make({ issue: 'one_inlink', filter: 'crawl=shop-3', state: 'open', owner: ' Ada ' }),
  ).toMatchObject([{ project: 'p-shop', issue: 'one_inlink', crawl: 'shop-3', owner: 'Ada', state: 'open' }]);
  const [one] = await make({ issue: 'one_inlink', filter: 'segment=(directory):/lamps/', state: 'open' });
  expect(one).toMatchObject({ segmentation: '(directory)', segment: '/lamps/', crawl: 'shop-3' });
  expect(one?.urls).toBeUndefined();
});

test('a filter with conditions makes a ticket with a list of URLs', async () => {
  const filter = 'crawl=shop-3&issue=one_inlink&depth=gte:1&segment=/lamps/';
  const [one] = await make({ issue: 'one_inlink', filter, state: 'open' });
  const { rows } = await readPages(
    warehouse,
    filterOfQuery('p-shop', new URLSearchParams(filter)),
    100,
    signal,
  );
  expect(rows.length).toBeGreaterThan(0);
  expect([...(one?.urls ?? [])].sort()).toEqual(rows.map(({ url }) => url).sort());
  expect(one?.segment).toBeUndefined();
  expect(one?.filter).toContain('depth=gte%3A1');
  const where = await make({
    issue: 'one_inlink',
    filter: 'where=depth >= 1&segment=/lamps/',
    state: 'open',
  });
  expect([...(where[0]?.urls ?? [])].sort()).toEqual([...(one?.urls ?? [])].sort());
});

test('a segment of segments.yaml becomes a list of URLs that later file changes do not affect', async () => {
  const [own] = await make({ issue: 'one_inlink', filter: 'crawl=shop-3&segment=kind:lamps', state: 'open' });
  const { rows } = await readPages(
    warehouse,
    filterOfQuery('p-shop', new URLSearchParams('crawl=shop-3&issue=one_inlink&segment=/lamps/')),
    100,
    signal,
  );
  expect([...(own?.urls ?? [])].sort()).toEqual(rows.map(({ url }) => url).sort());
  expect(own).toMatchObject({ filter: 'crawl=shop-3&segment=kind%3Alamps' });
  expect(own?.segment).toBeUndefined();
});

test.each([
  [{ filter: 'crawl=shop-3' }, 'choose the issue'],
  [{ filter: 'issue=one_inlink&change=new' }, 'cannot be limited to changed pages'],
  [{ filter: 'issue=one_inlink&depth=gte:99' }, 'no page matches'],
  [{ filter: 'issue=none_such' }, 'none_such'],
  [{ filter: 'issue=one_inlink&segment=/none/' }, 'no segment /none/'],
])('%j creates no ticket', async (fields, message) => {
  await expect(make({ state: 'open', ...fields })).rejects.toThrow(message);
});

test("pages of ignored tickets are counted and listed until the ticket's last day", async () => {
  const [crawl] = await readIssues(warehouse, { project: 'p-shop', crawl: 'shop-3' }, signal);
  if (crawl === undefined) throw new Error('no crawl');
  const list = await withIgnored(
    await readIssueList(warehouse, crawl, signal),
    folder,
    asking(warehouse, signal),
  );
  const found = list.issues.find(({ issue }) => issue === 'one_inlink');
  const query = (text: string) =>
    readPages(
      warehouse,
      filterOfQuery('p-shop', new URLSearchParams(`crawl=shop-3&issue=one_inlink&${text}`)),
      100,
      signal,
    );
  const ignored = await query('is_ignored=is:true');
  expect(found?.pages).toBe(5);
  expect(found?.ignored).toBeGreaterThan(0);
  expect(found?.ignored).toBeLessThan(5);
  expect(ignored.rows.map(({ url }) => url)).toEqual(
    (await query('segment=/lamps/')).rows.map(({ url }) => url),
  );
  expect(found?.ignored).toBe(ignored.rows.length);
  expect((await query('is_ignored=is:false')).rows.length).toBe(5 - ignored.rows.length);
  expect(list.issues.find(({ issue }) => issue === 'orphan')?.ignored).toBe(0);
});

test('a list with a segment counts only the ignored pages of the segment', async () => {
  const asked = { project: 'p-shop', crawl: 'shop-3', segment: '/lamps/' };
  const [crawl] = await readIssues(warehouse, asked, signal);
  if (crawl === undefined) throw new Error('no crawl');
  const list = await withIgnored(
    await readIssueList(warehouse, crawl, signal),
    folder,
    asking(warehouse, signal),
  );
  const found = list.issues.find(({ issue }) => issue === 'one_inlink');
  expect(found?.ignored).toBe(found?.pages);
});
