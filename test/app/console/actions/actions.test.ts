import { expect, onTestFinished, test, vi } from 'vitest';
import { openConsoleDatabase } from '../../../../src/app/console/access/console-database.ts';
import { Sessions } from '../../../../src/app/console/access/sessions.ts';
import { type Action, fieldsOf, readAction, wordsOf } from '../../../../src/app/console/actions/action.ts';
import { planOf } from '../../../../src/app/console/actions/plan-action.ts';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import type { LedgerUnit } from '../../../../src/etl/project/model/runs/ledger-records.ts';
import { sqliteLedger } from '../../../../src/etl/state/ledger/sqlite/sqlite-ledger.ts';
import { ledgerUnit } from '../../../support/console-project.ts';
import { openConsole } from '../../../support/open-console.ts';
import { rawProjectFolder } from '../../../support/project.ts';

async function acting(extra: Readonly<Record<string, string>> = {}) {
  const settings = await loadSettings(await rawProjectFolder(), extra);
  const console = await openConsole(settings);
  const database = openConsoleDatabase(settings.state_dir);
  onTestFinished(() => database.close());
  const tokens = (): string[] =>
    database
      .prepare('SELECT csrf FROM sessions ORDER BY rowid')
      .all()
      .map(({ csrf }) => String(csrf));
  return {
    settings,
    ...console,
    /** The cookie of an analyst. */
    analyst: () => {
      const key = new Sessions(database, Date.now).begin('analyst@example.com', 'analyst');
      return `crawlhouse-session-${new URL(console.url).port}=${key}`;
    },
    /** Posts the form of an action, with the token of the session that began last. */
    start: (fields: Readonly<Record<string, string>>, init: { readonly cookie?: string } = {}) => {
      const body = new URLSearchParams({ csrf: tokens().at(-1) ?? '', ...fields });
      return console.ask('/do/start', { ...init, method: 'POST', body });
    },
    audit: () => database.prepare('SELECT * FROM audit ORDER BY id').all(),
  };
}

test('with console_actions off, no action is shown or started, and the page names the setting', async () => {
  const { ask, start, audit } = await acting({ CRAWLHOUSE_CONSOLE_ACTIONS: 'false' });
  const page = await ask('/do');
  expect([page.status, await page.text()]).toEqual([403, expect.stringContaining('console_actions: true')]);
  expect((await ask('/do/plan?action=run')).status).toBe(403);
  expect((await start({ action: 'run' })).status).toBe(403);
  expect(await (await ask('/')).text()).not.toContain('href="/do"');
  expect(audit()).toEqual([]);
});

test('an analyst sees neither actions nor the audit, and cannot start actions', async () => {
  const { ask, start, audit, analyst } = await acting();
  const cookie = analyst();
  for (const path of ['/do', '/do/plan?action=run', '/do/actions/1', '/audit', '/audit.json'])
    expect((await ask(path, { cookie })).status, path).toBe(403);
  expect((await start({ action: 'run' }, { cookie })).status).toBe(403);
  expect((await start({ action: 'drop', kind: 'crawl', name: 'c1', confirm: 'c1' }, { cookie })).status).toBe(
    403,
  );
  expect(audit()).toEqual([]);
});

test('a GET starts nothing, and a cross-site link gets no plan', async () => {
  const { ask, audit } = await acting();
  expect((await ask('/do/start?action=run')).status).toBe(404);
  const headers = { 'sec-fetch-site': 'cross-site', accept: 'text/html' };
  expect((await ask('/do/plan?action=run', { headers })).status).toBe(403);
  expect(audit()).toEqual([]);
});

test('a drop starts only after its name is typed, and an incomplete action never starts', async () => {
  const { start, audit } = await acting();
  const drop = { action: 'drop', kind: 'project', name: 'shop' };
  for (const fields of [
    drop,
    { ...drop, confirm: '' },
    { ...drop, confirm: 'Shop' },
    { ...drop, kind: 'all', confirm: 'shop' },
    { action: 'drop', kind: 'crawl', name: '', confirm: '' },
    { action: 'backfill', from: '2026-01-01' },
    { action: 'backfill', from: '2026-01-32', to: '2026-02-01' },
    { action: 'init' },
    {},
  ])
    expect((await start(fields)).status, JSON.stringify(fields)).toBe(400);
  expect(audit()).toEqual([]);
});

test('the audit records who started each action, when and with which values, even if it fails immediately', async () => {
  const { ask, start, audit } = await acting();
  const answer = await start({ action: 'run', project: "it's one\ntwo", pipeline: 'crawl_pages' });
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/do/actions/1']);
  // On a busy machine, the action may still run when the form answers.
  await vi.waitFor(() => expect(audit()[0]).toMatchObject({ outcome: '2' }), { timeout: 20_000 });
  expect(audit()).toMatchObject([
    {
      subject: 'local',
      command: `crawlhouse run '--project=it'\\''s one' --project=two -- crawl_pages`,
      outcome: '2',
      message: expect.stringContaining('the setting base_url is missing'),
      ended_at: expect.stringMatching(/Z$/),
      run_id: null,
    },
  ]);
  const page = await (await ask('/do/actions/1')).text();
  expect(page).toContain('the setting base_url is missing');
  expect(await (await ask('/audit.json')).json()).toMatchObject({
    entries: [{ id: 1, status: 'failed' }],
    paging: { total: 1 },
  });
  expect(await (await ask('/do')).text()).toContain('It starts once you confirm it.');
  expect((await ask('/do/actions/2')).status).toBe(404);
});

test('the form fields of an action reproduce the action, and no value becomes a flag', () => {
  const fields = new URLSearchParams({
    action: 'backfill',
    from: '2026-01-01',
    to: '2026-02-01',
    reload: 'on',
    project: '--crawl=x\r\n two words ',
    crawl: '-h',
  });
  fields.append('pipeline', '--reload');
  fields.append('pipeline', 'crawl_links');
  const action = readAction(fields);
  expect(
    readAction(new URLSearchParams(fieldsOf(action).map(([name, value]): [string, string] => [name, value]))),
  ).toEqual(action);
  expect(wordsOf(action)).toEqual([
    'backfill',
    '--from=2026-01-01',
    '--to=2026-02-01',
    '--reload',
    '--project=--crawl=x',
    '--project=two words',
    '--crawl=-h',
    '--',
    '--reload',
    'crawl_links',
  ]);
});

test('a plan lists the due units, and counts the others by reason', () => {
  const unit = { dataset: 'd', source: {}, window: null, route: null, rows: null, requests: 0 };
  const plan = planOf({
    units: [
      { ...unit, unit: 'd/1', status: 'due', rows: 5, reason: 'not in the warehouse' },
      { ...unit, unit: 'd/2', status: 'loaded', reason: 'already in the warehouse' },
      { ...unit, unit: 'd/3', status: 'skipped', reason: 'archived' },
      { ...unit, unit: 'd/4', status: 'skipped', reason: 'archived' },
    ],
    totals: { units: 1, rows: 5, bytes: null, seconds: 2, requests: 3, exports: 0 },
  });
  expect(plan.units.map((one) => one.unit)).toEqual(['d/1']);
  expect(plan.left_out).toEqual([{ reason: 'archived', units: 2 }]);
  const dropped = planOf({ units: [{ unit: 'd/1', rows: 5 }], totals: { units: 1, rows: 5 } });
  expect(dropped).toMatchObject({ units: [{ unit: 'd/1', rows: 5 }], totals: { requests: null } });
});

test('an operator can retry a failing unit from its page and from Do', async () => {
  const { ask, analyst, settings } = await acting();
  {
    await using ledger = sqliteLedger(settings.state_dir);
    const error: LedgerUnit['error'] = { code: 'quota', message: 'the quota is used up', hint: null };
    const dated = { kind: 'log_monitoring', id: 'p1', project_id: 'p1' } as const;
    await ledger.restore(
      [
        ledgerUnit('crawl_pages/c1', { status: 'failed', error }),
        ledgerUnit('log_events/p1', { status: 'failed', error, source: dated }),
        ledgerUnit('crawl_links/c1'),
      ],
      [],
    );
  }
  const { failing, failing_units } = (await (await ask('/do.json')).json()) as {
    failing: { retry: Action }[];
    failing_units: number;
  };
  expect([failing_units, failing.map(({ retry }) => wordsOf(retry))]).toEqual([
    2,
    [
      ['run', '--crawl=c1', '--', 'crawl_pages'],
      ['run', '--project=p1', '--', 'log_events'],
    ],
  ]);
  const button = '<input type="hidden" name="pipeline" value="crawl_pages">';
  expect(await (await ask('/units/crawl_pages/c1')).text()).toContain(button);
  expect(await (await ask('/units/crawl_pages/c1', { cookie: analyst() })).text()).not.toContain('Retry');
  expect(await (await ask('/units/crawl_links/c1')).text()).not.toContain('Retry');
});
