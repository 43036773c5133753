import { expect, test } from 'vitest';
import type { RunReport } from '../../../src/etl/project/model/runs/unit-report.ts';
import {
  published,
  type RunOptions,
  rawProjectFolder,
  runProject,
  sandboxFor,
  setFaults,
} from '../../support/project.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

const REFUSED = { kind: 'status', status: 403 } as const;
const STREAM_REFUSED = { match: { path: 'export=true' }, ...REFUSED };

/** Why the units came as they did, by the report and by the warehouse. */
async function reasons(folder: string, report: RunReport): Promise<string[]> {
  const connection = await temporaryConnection(await temporaryFolder());
  const rows = await published(connection, folder, 'SELECT unit, route, reason FROM ops.loads ORDER BY unit');
  const told = report.units
    .filter((unit) => unit.status === 'loaded')
    .map(({ unit, route, reason }) => ({ unit, route, reason }))
    .sort((a, b) => (a.unit < b.unit ? -1 : 1));
  expect(rows).toEqual(told);
  return rows.map((row) => `${row.route}: ${row.reason}`);
}

test('a refused stream falls back to a search for few rows, and the reason is stored', async () => {
  const sandbox = await sandboxFor({
    generate: ['projects=1,crawls=1,pages=30,links=50,columns=12,seed=41'],
  });
  const folder = await rawProjectFolder();
  const options: RunOptions = { pipelines: ['crawl_pages', 'crawl_links'] };
  await setFaults(sandbox, [STREAM_REFUSED]);
  const { exitCode, report } = await runProject(folder, sandbox, options);
  expect(exitCode).toBe(0);
  expect(await reasons(folder, report)).toEqual([
    expect.stringMatching(
      /^search: stream was refused: POST .*\/links\?export=true.* answered 403 forbidden/,
    ),
    expect.stringMatching(
      /^search: stream was refused: POST .*\/pages\?export=true.* answered 403 forbidden/,
    ),
  ]);
});

test('a refused stream falls back to a data export if there are too many rows for a search', async () => {
  const sandbox = await sandboxFor({ generate: ['projects=1,crawls=1,pages=10001,columns=8,seed=42'] });
  const folder = await rawProjectFolder();
  await setFaults(sandbox, [STREAM_REFUSED]);
  const { exitCode, report } = await runProject(folder, sandbox, { pipelines: ['crawl_pages'] });
  expect(exitCode).toBe(0);
  expect(await reasons(folder, report)).toEqual([expect.stringMatching(/^export: stream was refused/)]);
  expect(report.units[0]?.counts).toMatchObject({ reported: 10_001, queryable: 10_001 });
});

test('a unit whose routes are all refused ends the run as forbidden', async () => {
  const sandbox = await sandboxFor({ generate: ['projects=1,crawls=1,pages=10,columns=8,seed=43'] });
  const folder = await rawProjectFolder();
  await setFaults(sandbox, [{ match: { path: '/data/crawl/.*/pages($|\\?)' }, ...REFUSED }]);
  const { exitCode, errors } = await runProject(folder, sandbox, { pipelines: ['crawl_pages'] });
  expect([exitCode, errors[0]?.code]).toEqual([5, 'forbidden']);
});

const LOGS = ['log_events', 'log_pages_days'];

test.for([
  ['the metadata', '/metadata'],
  ['the rows', '/data/project/[^?]*/(events|days)($|\\?)'],
] as const)('a plain 403 on %s of log monitoring skips the project and fails nothing', async ([, path]) => {
  const sandbox = await sandboxFor({
    generate: ['projects=1,crawls=1,pages=10,columns=8,log_days=2,events=40,seed=44'],
  });
  const folder = await rawProjectFolder();
  await setFaults(sandbox, [{ match: { path }, ...REFUSED }]);
  const { exitCode, report } = await runProject(folder, sandbox, { pipelines: ['crawl_pages', ...LOGS] });
  expect(exitCode).toBe(0);
  const of = (datasets: readonly string[]) => report.units.filter((unit) => datasets.includes(unit.dataset));
  expect(of(['crawl_pages']).map((unit) => unit.status)).toEqual(['loaded']);
  expect(of(LOGS).length).toBeGreaterThan(0);
  for (const unit of of(LOGS)) {
    expect([unit.status, unit.error?.message]).toEqual(['skipped', expect.stringContaining('403')]);
  }
});

test('an exhausted ranking quota temporarily fails its own project, and others are loaded', async () => {
  const sandbox = await sandboxFor({
    generate: ['projects=2,crawls=1,pages=20,columns=8,ranking_days=3,seed=45'],
  });
  const folder = await rawProjectFolder();
  await runProject(folder, sandbox, { pipelines: ['projects'] });
  const connection = await temporaryConnection(await temporaryFolder());
  const [poor, rich] = (await published(connection, folder, 'SELECT id FROM raw.projects ORDER BY id')).map(
    (row) => String(row.id),
  );
  const quota = async (ranking_performance_quota: number): Promise<void> => {
    const answer = await fetch(`${sandbox.baseUrl}/_sandbox/projects/${poor}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ranking_performance_quota }),
    });
    expect(answer.status).toBe(200);
  };
  const run = () => runProject(folder, sandbox, { pipelines: ['ranking_performance'] });

  await quota(0);
  const first = await run();
  expect([first.exitCode, first.report.status]).toEqual([3, 'partial']);
  const statuses = (report: RunReport, id = ''): string[] =>
    report.units.filter((unit) => unit.source.id === id).map((unit) => unit.status);
  expect(statuses(first.report, rich)).toEqual(['loaded', 'loaded', 'loaded']);
  expect(statuses(first.report, poor)).toEqual(['failed']);
  expect(first.errors.map((error) => error.code)).toEqual(['quota']);
  const units = "SELECT unit, status FROM ops.units WHERE dataset = 'ranking_performance' ORDER BY unit";
  expect(await published(connection, folder, units)).toContainEqual({
    unit: `ranking_performance/${poor}`,
    status: 'failed',
  });

  await quota(1e12);
  const second = await run();
  expect(second.exitCode).toBe(0);
  expect(statuses(second.report, poor)).toEqual(['loaded', 'loaded', 'loaded']);
  const after = await published(connection, folder, units);
  expect(after.map((row) => row.status)).toEqual(Array.from({ length: 6 }, () => 'published'));
});
