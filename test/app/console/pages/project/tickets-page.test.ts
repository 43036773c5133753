import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Settings } from '../../../../../src/etl/project/settings/settings.ts';
import { loadTickets } from '../../../../../src/etl/project/settings/tickets/tickets.ts';
import { consoleProject, HOSTILE } from '../../../../support/console-project.ts';
import { type OpenConsole, openConsole, sharedConsole } from '../../../../support/open-console.ts';
import { sharedFolder } from '../../../../support/temporary.ts';

const folder = sharedFolder();
let settings: Settings;
const NOTE = '<script>alert(1)</script> "fix" it';

beforeAll(async () => {
  settings = {
    ...(await consoleProject(
      folder,
      async (connection) => {
        await connection.run(
          `CREATE TABLE mart.projects AS SELECT 'p1' AS project_id, 'Shop' AS project_name, NULL::VARCHAR AS start_url`,
        );
        await connection.run(
          `CREATE TABLE mart.crawls AS SELECT 'c1' AS crawl_id, 'p1' AS project_id, 'Shop' AS project_name`,
        );
        await connection.run(`CREATE TABLE mart.issues AS SELECT 'slow' AS issue, 'Slow page' AS title`);
        await connection.run(`CREATE TABLE mart.ticket_pages AS SELECT * FROM (VALUES
          ('t1', 'c1', '/1', 'has_issue'), ('t1', 'c1', '/2', 'has_issue'), ('t1', 'c1', '/3', NULL),
          ('t1', 'c2', '/1', 'unread'), ('t1', 'c2', '/2', 'clean'), ('t2', 'c1', '/4', 'has_issue'))
          AS t(ticket_id, crawl_id, url, state), (SELECT NULL::VARCHAR AS reason, NULL::VARCHAR AS moved_to)`);
        await connection.run(`CREATE TABLE mart.tickets AS SELECT * FROM (VALUES
          ('t1', 'slow', 'unknown', 'forbidden', TIMESTAMPTZ '2026-11-02 00:00:00+00', 3, 'c2', 0, 1, NULL),
          ('t2', 'slow', 'verified', NULL, TIMESTAMPTZ '2026-11-01 00:00:00+00', 2, 'c2', 0, 2, 'c1'),
          ('t4', 'slow', 'ignored', 'no_answer', TIMESTAMPTZ '2026-11-02 00:00:00+00', 2, 'c2', NULL, 0, NULL))
          AS t(ticket_id, issue, effective_state, reason, changed_at, pages, latest_crawl_id, pages_now, read_pages, decided_by_crawl_id)`);
      },
      {},
    )),
    console_actions: true,
  };
  const times = 'created_at: 2026-11-01T00:00:00Z, changed_at: 2026-11-02T00:00:00Z';
  await writeFile(
    join(settings.projectDir, 'tickets.yaml'),
    `tickets:
  - { id: t1, project: Shop, issue: slow, crawl: c1, state: done, owner: ${JSON.stringify('Ada <b>')}, note: ${JSON.stringify(NOTE)}, ${times} }
  - { id: t2, project: p1, issue: slow, crawl: c1, segmentation: kind, segment: a, state: in_progress, ${times} }
  - { id: t4, project: p1, issue: slow, crawl: c1, urls: [/a, /b], filter: issue=slow, state: ignored, until: 2999-01-01, owner: Lin, ${times} }
  - { id: t5, project: p1, issue: slow, crawl: c1, urls: [/new], state: open, owner: Lin, ${times} }
  - { id: t3, project: other, issue: slow, crawl: c1, state: open, ${times} }
`,
  );
});

const shared = sharedConsole(() => settings);

interface ShownList {
  readonly list: readonly {
    readonly id: string;
    readonly effective_state: string | null;
    readonly reason: string | null;
  }[];
}

async function listed({ ask }: OpenConsole, query = ''): Promise<ShownList['list']> {
  const answer = (await (await ask(`/projects/p1/tickets.json${query}`)).json()) as ShownList;
  return answer.list;
}

async function send(
  open: OpenConsole,
  fields: Readonly<Record<string, string>>,
  csrf?: string,
): Promise<Response> {
  const token = /name="csrf" value="([^"]+)"/.exec(await (await open.ask('/ask')).text())?.[1] ?? '';
  return open.ask('/projects/p1/tickets', {
    method: 'POST',
    body: new URLSearchParams({ csrf: csrf ?? token, ...fields }),
  });
}

test('the tickets of a project show the states of the last run, unless they changed later', async () => {
  const open = shared();
  expect(await listed(open)).toMatchObject([
    { id: 't1', effective_state: 'unknown', reason: 'forbidden', pages: 3, read_pages: 1 },
    { id: 't2', effective_state: null, reason: null, pages: 2, decided_by: null },
    { id: 't4', effective_state: 'ignored', reason: 'no_answer', pages_now: null, read_pages: 0 },
    { id: 't5', effective_state: null, pages: null },
  ]);
  expect((await listed(open, '?state=unknown')).map(({ id }) => id)).toEqual(['t1']);
  expect((await listed(open, '?state=in_progress')).map(({ id }) => id)).toEqual(['t2']);
  expect((await listed(open, '?owner=(nobody)')).map(({ id }) => id)).toEqual(['t2']);
  const html = await (await open.ask('/projects/p1/tickets')).text();
  expect(html).toContain('<br>refused (403)');
  expect(html).toContain('<br>until 2999-01-01<br>unread: no answer');
  expect(html).toContain('the next run checks it');
  expect(html).toContain('/projects/p1/pages?crawl=c1&amp;issue=slow&amp;segment=kind%3Aa');
});

test('each number links to its pages; URLs that no run has read are listed', async () => {
  const { ask } = shared();
  const html = await (await ask('/projects/p1/tickets')).text();
  const addresses: string[] = [];
  const links = [...html.matchAll(/href="(\/ask\?sql=[^"]+)">(\d+)</g)].map(([, address = '', number]) => {
    const query = new URL(address.replaceAll('&amp;', '&'), 'http://console').searchParams;
    const only = /\$crawl (.*)\n/.exec(query.get('sql') ?? '')?.[1];
    addresses.push(`/ask.json?${String(query)}`);
    return [query.get('param.ticket'), query.get('param.crawl'), only, number];
  });
  const read = "AND state IN ('has_issue', 'clean')";
  expect(links).toEqual([
    ['t1', 'c1', '', '3'],
    ['t1', 'c2', read, '1'],
    ['t2', 'c1', '', '2'],
    ['t2', 'c2', read, '2'],
    ['t4', 'c1', '', '2'],
  ]);
  const shown = (at: number) => ask(addresses[at] ?? '').then((answer) => answer.json());
  expect(await shown(0)).toMatchObject({
    rows: [
      ['/1', 'has_issue', null, null],
      ['/2', 'has_issue', null, null],
      ['/3', null, null, null],
    ],
  });
  expect(await shown(1)).toMatchObject({ rows: [['/2', 'clean', null, null]] });
  expect(html).toContain('>Slow page<br>2 listed pages<');
  expect(html).toContain(
    '<summary>1 listed page</summary><ul><li><a href="/projects/p1/url?url=%2Fnew">/new</a>',
  );
});

test('hostile text in a ticket is escaped, on its page and in its form', async () => {
  const html = await (await shared().ask('/projects/p1/tickets')).text();
  expect(html).not.toContain('<script>alert');
  expect(html).not.toContain('Ada <b>');
  expect(html.match(/&lt;script&gt;alert/g)).toHaveLength(2);
});

test('an operator changes a ticket, and an error keeps the form values', async () => {
  const open = shared();
  const seen = '2026-11-02T00:00:00Z';
  const bad = await send(open, { id: 't2', seen, state: 'ignored', note: HOSTILE });
  const text = await bad.text();
  expect([bad.status, text.includes('needs until')]).toEqual([400, true]);
  expect(text).toContain('Shop &quot;north&quot; &lt;script&gt;');
  expect(text).toContain('<option value="ignored" selected>');
  expect(text).toContain(`name="seen" value="${seen}"`);
  const good = await send(open, { id: 't2', seen, state: 'ignored', until: '2999-01-01', owner: 'Grace' });
  expect([good.status, good.headers.get('location')]).toEqual([303, '/projects/p1/tickets']);
  const [, changed] = await loadTickets(settings.projectDir);
  expect(changed).toMatchObject({ state: 'ignored', until: '2999-01-01', owner: 'Grace', segment: 'a' });
  const late = await send(open, { id: 't2', seen, state: 'open' });
  expect([late.status, (await late.text()).includes('someone else has changed')]).toEqual([400, true]);
  expect(await (await open.ask('/audit')).text()).toContain('change ticket {&quot;id&quot;:&quot;t2&quot;');
});

test('tickets cannot be changed without the form token, or in a read-only console', async () => {
  const open = shared();
  const before = await loadTickets(settings.projectDir);
  expect((await send(open, { id: 't1', seen: 'x', state: 'open' }, 'x')).status).toBe(403);
  const readOnly = await openConsole({ ...settings, console_actions: false });
  expect((await send(readOnly, { id: 't1', seen: 'x', state: 'open' })).status).toBe(403);
  expect(await (await readOnly.ask('/projects/p1/tickets')).text()).not.toContain('Change the ticket');
  expect(await loadTickets(settings.projectDir)).toEqual(before);
});

test('an invalid file is reported on the tickets page', async () => {
  const path = join(settings.projectDir, 'tickets.yaml');
  expect(existsSync(path)).toBe(true);
  await writeFile(path, 'tickets:\n  - { id: t1 }\n');
  const answer = await shared().ask('/projects/p1/tickets');
  expect([answer.status, (await answer.text()).includes('tickets.yaml:2: tickets.0.project')]).toEqual([
    200,
    true,
  ]);
});
