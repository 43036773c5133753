import { existsSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { serveConsole } from '../../../src/app/console/server/serve-console.ts';
import { loadSettings } from '../../../src/app/settings/load-settings.ts';
import { lockState } from '../../../src/core/locks/state-lock.ts';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import {
  environmentOf,
  rawProjectFolder,
  sandboxFor,
  setFaults,
  writeDotEnv,
} from '../../support/project.ts';
import { until } from '../../support/until.ts';

const SMALL = { generate: ['projects=2,crawls=2,pages=30,links=0,seed=5'] };
const RUN = { action: 'run', pipeline: 'crawl_pages' };

/** Of the documents behind the pages, what these tests read. */
interface Answer {
  readonly plan: { readonly units: readonly { readonly unit: string }[] };
  readonly held_by: string | null;
  readonly error: { readonly message: string };
  readonly ended_at: string | null;
  readonly run_id: string | null;
}

/** A project of a sandbox, and its console with an operator. Commands read the account in `.env`. */
async function operated() {
  const sandbox = await sandboxFor(SMALL);
  const folder = await rawProjectFolder();
  await writeDotEnv(folder, { ...environmentOf(sandbox), CRAWLHOUSE_CONSOLE_ACTIONS: 'true' });
  const settings = await loadSettings(folder, {});
  const stopping = new AbortController();
  const served = await serveConsole(settings, '127.0.0.1:0', silentLogger, stopping.signal);
  onTestFinished(() => served[Symbol.asyncDispose]());
  const signedIn = await fetch(served.newLink() ?? '', { redirect: 'manual' });
  const [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';');
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(served.url + path, { redirect: 'manual', ...init, headers: { cookie } });
  const json = async (path: string) => (await (await ask(path)).json()) as Answer;
  const csrf = /name="csrf" value="([\w-]+)"/.exec(await (await ask('/do')).text())?.[1] ?? '';
  const start = async (fields: Readonly<Record<string, string>>) => {
    const body = new URLSearchParams({ csrf, ...fields });
    return (await ask('/do/start', { method: 'POST', body })).headers.get('location');
  };
  const plan = (fields: Readonly<Record<string, string>>) =>
    json(`/do/plan.json?${new URLSearchParams(fields)}`);
  const action = (id: number) => json(`/do/actions/${id}.json`);
  const ended = (id: number) => until(async () => (await action(id)).ended_at ?? undefined);
  return { sandbox, folder, settings, served, stopping, ask, json, start, plan, action, ended };
}

test('a run starts after its plan, leads to its page, and the audit records its end', async () => {
  const { plan, start, ended, action, ask, settings } = await operated();
  expect(await plan(RUN)).toMatchObject({
    command: 'crawlhouse run -- crawl_pages',
    plan: { totals: { units: 4, rows: 120 } },
    held_by: null,
  });
  const location = await start(RUN);
  await ended(1);
  const entry = await action(1);
  expect(entry).toMatchObject({ subject: 'local', status: 'done', outcome: '0', message: null });
  expect(location).toBe(`/runs/${entry.run_id}`);
  const shown = await ask(location ?? '');
  expect(shown.status, await shown.text()).toBe(200);
  expect(existsSync(settings.warehouse)).toBe(true);
  expect(await plan(RUN)).toMatchObject({ plan: { totals: { units: 0 } } });
});

test('a backfill of one crawl and a drop do what their plans say', async () => {
  const { plan, start, ended, action } = await operated();
  await start(RUN);
  await ended(1);
  const crawl = await plan({
    ...RUN,
    action: 'backfill',
    from: '2000-01-01',
    to: '2100-01-01',
    reload: 'on',
  });
  const unit = crawl.plan.units[0]?.unit ?? '';
  const id = unit.split('/')[1] ?? '';
  const again = { ...RUN, action: 'backfill', from: '2000-01-01', to: '2100-01-01', reload: 'on', crawl: id };
  expect((await plan(again)).plan).toMatchObject({ totals: { units: 1, rows: 30 }, units: [{ unit }] });
  await start(again);
  await ended(2);
  expect(await action(2)).toMatchObject({ status: 'done' });
  const drop = { action: 'drop', kind: 'crawl', name: id };
  expect((await plan(drop)).plan).toMatchObject({
    totals: { units: 1, rows: 30 },
    units: [{ unit, rows: 30 }],
  });
  await start({ ...drop, confirm: id });
  await ended(3);
  expect(await action(3)).toMatchObject({ status: 'done', command: `crawlhouse drop --crawl=${id} --yes` });
  expect((await plan(drop)).error.message).toContain(id);
});

test('while another process writes, an action is refused with the name of the process', async () => {
  const { plan, start, action, settings } = await operated();
  const lock = lockState(settings.state_dir, 'crawlhouse run');
  expect((await plan(RUN)).held_by).toContain('crawlhouse run');
  expect(await start(RUN)).toBe('/do/actions/1');
  expect(await action(1)).toMatchObject({
    status: 'failed',
    outcome: '6',
    message: expect.stringContaining('is in use by crawlhouse run'),
  });
  lock[Symbol.dispose]();
});

test('a stopping console ends its commands in order, and records that', async () => {
  const { sandbox, start, settings, served, stopping } = await operated();
  await setFaults(sandbox, [{ match: { path: '/export/pages' }, kind: 'stall' }]);
  expect(await start(RUN)).toMatch(/^\/runs\//);
  stopping.abort();
  await served[Symbol.asyncDispose]();
  const other = await serveConsole(settings, '127.0.0.1:0', silentLogger, new AbortController().signal);
  onTestFinished(() => other[Symbol.asyncDispose]());
  const signedIn = await fetch(other.newLink() ?? '', { redirect: 'manual' });
  const [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';');
  const audit = await fetch(`${other.url}/audit.json`, { headers: { cookie } });
  expect(await audit.json()).toMatchObject({
    entries: [{ status: 'failed', outcome: '143', message: expect.stringContaining('interrupted') }],
  });
});
