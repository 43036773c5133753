import { mkdir, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import type { ErrorCode } from '../../../../src/core/errors/error-codes.ts';
import { CrawlhouseError } from '../../../../src/core/errors/errors.ts';
import { unitFolders } from '../../../../src/etl/pipeline/stage/unit-folders.ts';
import { runUnit } from '../../../../src/etl/pipeline/unit/run-unit.ts';
import type { Unit } from '../../../../src/etl/project/model/unit.ts';
import { Service } from '../../../service/support.ts';
import { published, rawProjectFolder, runProject, sandboxFor, setFaults } from '../../../support/project.ts';
import { sampleOf } from '../../../support/runs.ts';
import { temporaryConnection } from '../../../support/temporary.ts';
import { fields, makePackage } from '../load/make-package.ts';

const FACTS = { options: [], former: undefined, stagedByOther: undefined };
const PAGES = { pipelines: ['crawl_pages'] } as const;

async function sandboxAndFolder() {
  const sandbox = await sandboxFor({ generate: ['crawls=1,pages=12,links=5,columns=8,seed=3'] });
  return { sandbox, folder: await rawProjectFolder() };
}

test('a unit reports route, format, attempts and bytes; equal content is unchanged', async () => {
  const { sandbox, folder } = await sandboxAndFolder();
  const [unit] = (await runProject(folder, sandbox, PAGES)).report.units;
  expect(unit).toMatchObject({ status: 'loaded', route: 'stream', format: 'csv', attempts: 1 });
  expect(unit?.bytes).toBeGreaterThan(100);
  expect((await runProject(folder, sandbox, PAGES)).report.units).toEqual([]);
  const lists = { pipelines: ['workspaces'] } as const;
  expect((await runProject(folder, sandbox, lists)).report.units[0]?.status).toBe('loaded');
  expect((await runProject(folder, sandbox, lists)).report.units[0]?.status).toBe('unchanged');
});

test('a new field decides the format only of units that have it', async () => {
  const generate = [
    'crawls=1,pages=12,links=5,columns=8,seed=3',
    'crawls=1,pages=12,links=5,columns=60,seed=4',
  ];
  const [sandbox, folder] = [await sandboxFor({ generate }), await rawProjectFolder()];
  const [narrow, wide] = (await new Service(sandbox).crawls()).map(({ id }) => String(id));
  const connection = await temporaryConnection(folder);
  const loads = (): Promise<unknown[]> =>
    published(connection, folder, 'SELECT source_id AS id, format, reason FROM ops.loads ORDER BY loaded_at');
  const become = (status: string): Promise<Response> =>
    fetch(`${sandbox.baseUrl}/_sandbox/crawls/${wide}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ status }),
    });
  await become('archived');
  await runProject(folder, sandbox, PAGES);
  const early = {
    id: narrow,
    format: 'csv',
    reason: expect.stringMatching(/; CSV, because each field fits /),
  };
  expect(await loads()).toEqual([early]);
  await become('done');
  const { report } = await runProject(folder, sandbox, PAGES);
  expect(report.units.map(({ source, status }) => [source.id, status])).toEqual([[wide, 'loaded']]);
  const late = { id: wide, format: 'json', reason: expect.stringMatching(/; JSON, because CSV loses /) };
  expect(await loads()).toEqual([early, late]);
});

const LEFT = [
  ['of the same source', {}, 1],
  ['as a CSV, which carries its fields', { format: 'csv', values: 'string' }, 1],
  ['as a CSV, which may have lost values of its fields', { format: 'csv', values: 'object' }, 12],
  ['by a format that auto does not take', { format: 'parquet' }, 12],
  ['of another service', { base_url: 'https://other.example' }, 12],
  ['of the crawl before it ended again', { ended_at: 1 }, 12],
  ['by another route', { route: 'aggs' }, 12],
  ['with other fields', { definition: '{"filter":null,"fields":{"include":["url"],"exclude":[]}}' }, 12],
] as const;

test.for(sampleOf(LEFT))(
  'a package that a killed run left %s is loaded according to its rows: %o',
  async ([, left, rows]) => {
    const { values = 'object', ...source } = { values: undefined, ...left };
    const { sandbox, folder } = await sandboxAndFolder();
    const [crawl] = await new Service(sandbox).crawls();
    const id = String(crawl?.id);
    const connection = await temporaryConnection(folder);
    const made = await makePackage(connection, folder, {
      id,
      fields: [...fields('url'), { name: 'value', type: values, arity: 'one' }],
      rows: [{ url: 'left', value: null }],
      manifest: {
        source: {
          base_url: sandbox.baseUrl,
          route: 'stream',
          format: 'json',
          filter: null,
          requested_at: '2026-11-21T06:00:00.000Z',
          ended_at: Number(crawl?.ended_at),
          ...source,
        },
      },
    });
    const { state_dir } = await loadSettings(folder, {});
    const place = unitFolders(state_dir, `crawl_pages/${id}`).package;
    await mkdir(dirname(place), { recursive: true });
    await rename(made, place);
    await runProject(folder, sandbox, PAGES);
    const [row] = await published(connection, folder, 'SELECT count(*)::INTEGER AS n FROM raw.crawl_pages');
    expect(row?.n).toBe(rows);
  },
);

test('a unit taken over by another process records no failure here', async () => {
  const noted = async (code: ErrorCode): Promise<unknown[]> => {
    const states: unknown[] = [];
    const ledger = {
      setUnit: async (_unit: Unit, to: string) => states.push(to),
      exportOf: async () => null,
    };
    const stage = () => Promise.reject(new CrawlhouseError(code, code));
    const { signal } = new AbortController();
    const unit = { dataset: 'crawl_pages', source: { kind: 'crawl', id: 'c1' }, window: null };
    const task = { unit, name: 'crawl_pages/c1', pipeline: { source: {} }, restore: null, refresh: true };
    const outcome = await runUnit(
      { ledger, signal, settings: {}, unarchiver: { idle: async () => {} }, steps: { stage } } as never,
      task as never,
      FACTS,
    );
    expect(outcome).toMatchObject({ report: { status: 'failed' }, error: { code } });
    return states;
  };
  expect(await noted('connection')).toEqual(['failed']);
  expect(await noted('lease_lost')).toEqual([]);
  expect(await noted('interrupted')).toEqual([]);
});

test('an outcome names the stage in which the unit ended', async () => {
  const ended = async (stage: () => Promise<unknown>): Promise<unknown> => {
    const { signal } = new AbortController();
    const unit = { dataset: 'crawl_pages', source: { kind: 'crawl', id: 'c1' }, window: null };
    const task = { unit, name: 'crawl_pages/c1', pipeline: { source: {} }, restore: null, refresh: true };
    const fails = async () => Promise.reject(new CrawlhouseError('disk', 'the disk is full'));
    const outcome = await runUnit(
      {
        ledger: { setUnit: async () => {}, exportOf: async () => null },
        signal,
        settings: {},
        unarchiver: { idle: async () => {} },
        steps: { stage },
        loads: { load: fails },
      } as never,
      task as never,
      FACTS,
    );
    return outcome.stage;
  };
  expect(await ended(() => Promise.reject(new CrawlhouseError('connection', 'no answer')))).toBe('stage');
  const manifest = { source: {}, counts: {}, bytes: 1, content_sha256: 'a' };
  expect(await ended(async () => ({ folder: '/none', manifest }))).toBe('load');
});

test('a unit that the service refuses reports its route, and is not retried', async () => {
  const { sandbox, folder } = await sandboxAndFolder();
  await setFaults(sandbox, [{ match: { path: 'export=true' }, kind: 'status', status: 400 }]);
  const { report } = await runProject(folder, sandbox, PAGES);
  expect(report.units).toMatchObject([
    { status: 'refused', route: 'stream', format: 'csv', attempts: 1, error: { code: 'invalid_request' } },
  ]);
});
