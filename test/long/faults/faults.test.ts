import { expect, test } from 'vitest';
import {
  clearFaults,
  published,
  rawProjectFolder,
  runProject,
  sandboxFor,
  setFaults,
} from '../../support/project.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

const PAGES = 400;
const MATCH = { path: 'pages\\?export=true' };
const HEALED = [
  { kind: 'truncate', after_bytes: 20_000 },
  { kind: 'truncate', after_bytes: 0 },
  { kind: 'reset', after_bytes: 0 },
  { kind: 'reset', after_bytes: 20_000 },
  { kind: 'status', status: 503 },
  { kind: 'status', status: 429, retry_after: 1 },
  { kind: 'status', status: 500 },
  { kind: 'corrupt_gzip' },
  { kind: 'duplicate' },
  { kind: 'reorder' },
  { kind: 'slow', bytes_per_second: 2_000_000 },
] as const;

test('a download with a temporary fault has the same rows after a retry', async () => {
  const sandbox = await sandboxFor({
    generate: [`projects=1,crawls=1,pages=${PAGES},links=10,columns=40,seed=2`],
  });
  const connection = await temporaryConnection(await temporaryFolder());
  const folder = await rawProjectFolder();
  const options = { command: 'backfill', reload: true, pipelines: ['crawl_pages'] } as const;
  expect((await runProject(folder, sandbox, options)).exitCode).toBe(0);
  const sum =
    'SELECT count(*) AS n, CAST(sum(CAST(hash(url, title, status_code) AS HUGEINT)) AS VARCHAR) AS h FROM raw.crawl_pages';
  const want = await published(connection, folder, sum);
  for (const fault of HEALED) {
    for (const format of ['json', 'csv'] as const) {
      await setFaults(sandbox, [{ match: MATCH, times: 1, ...fault }]);
      const result = await runProject(folder, sandbox, {
        ...options,
        format,
        environment: { CRAWLHOUSE_COMPRESSION: fault.kind === 'corrupt_gzip' ? 'gzip' : 'none' },
      });
      await clearFaults(sandbox);
      const attempts = ['reorder', 'slow'].includes(fault.kind) ? 1 : 2;
      expect([fault, result.exitCode, result.report.units[0]?.attempts]).toEqual([fault, 0, attempts]);
      expect(await published(connection, folder, sum)).toEqual(want);
    }
  }
});

test('an export whose body is always truncated is refused or fails, and the previous rows stay', async () => {
  const sandbox = await sandboxFor({
    generate: [`projects=1,crawls=1,pages=${PAGES},links=10,columns=40,seed=2`],
  });
  const connection = await temporaryConnection(await temporaryFolder());
  const folder = await rawProjectFolder();
  const options = { command: 'backfill', reload: true, pipelines: ['crawl_pages'] } as const;
  await runProject(folder, sandbox, options);
  await setFaults(sandbox, [{ match: MATCH, kind: 'duplicate' }]);
  const result = await runProject(folder, sandbox, options);
  expect(result.exitCode).toBe(4);
  const [unit] = result.report.units;
  expect(unit?.status).toBe('refused');
  expect(unit?.error?.message).toContain(`${PAGES} rows reported by the service, but ${PAGES + 1} received`);
  expect(await published(connection, folder, 'SELECT count(*) AS n FROM raw.crawl_pages')).toEqual([
    { n: String(PAGES) },
  ]);
  const [row] = await published(
    connection,
    folder,
    "SELECT status, error_code FROM ops.units WHERE dataset = 'crawl_pages'",
  );
  expect(row).toEqual({ status: 'refused', error_code: 'unreconciled' });

  await setFaults(sandbox, [{ match: {}, kind: 'status', status: 503 }]);
  expect((await runProject(folder, sandbox, options)).exitCode).toBe(3);
  await clearFaults(sandbox);
  await setFaults(sandbox, [{ match: { path: '/fields' }, kind: 'status', status: 401 }]);
  expect((await runProject(folder, sandbox, options)).exitCode).toBe(5);
  expect(await published(connection, folder, 'SELECT count(*) AS n FROM raw.crawl_pages')).toEqual([
    { n: String(PAGES) },
  ]);
});
