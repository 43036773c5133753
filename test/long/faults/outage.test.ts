import { expect, test } from 'vitest';
import {
  clearFaults,
  differences,
  rawProjectFolder,
  requestCount,
  runProject,
  sandboxFor,
  setFaults,
} from '../../support/project.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

const DATASETS = ['crawl_pages', 'crawl_links'];
/** Requests that one unit may cost while it fails: four attempts, each of them of five tries at most. */
const MOST = 4 * 5;

test.for([
  ['answers 503 to everything', { match: {}, kind: 'status', status: 503 }],
  ['answers 500 where rows are asked for', { match: { path: 'export=true' }, kind: 'status', status: 500 }],
  ['resets every connection', { match: {}, kind: 'reset' }],
] as const)(
  'a service that %s for a day costs each run few requests, and the next run converges',
  async ([_what, fault]) => {
    const sandbox = await sandboxFor({
      generate: ['projects=1,crawls=2,pages=30,links=60,columns=8,seed=4'],
    });
    const folder = await rawProjectFolder();
    const undisturbed = await rawProjectFolder();
    const pipelines = DATASETS;
    expect((await runProject(undisturbed, sandbox, { pipelines })).exitCode).toBe(0);
    const before = await requestCount(sandbox);
    expect((await runProject(folder, sandbox, { pipelines: ['crawl_pages'] })).exitCode).toBe(0);
    const discovery = (await requestCount(sandbox)) - before;
    await setFaults(sandbox, [fault]);
    for (let hour = 0; hour < 4; hour++) {
      const at = await requestCount(sandbox);
      expect((await runProject(folder, sandbox, { pipelines })).exitCode).toBe(3);
      expect((await requestCount(sandbox)) - at).toBeLessThanOrEqual(discovery + 2 * 3 * MOST);
    }
    await clearFaults(sandbox);
    const { exitCode, report } = await runProject(folder, sandbox, { pipelines });
    expect([exitCode, report.units.map((one) => one.status)]).toEqual([0, ['loaded', 'loaded']]);
    const connection = await temporaryConnection(await temporaryFolder());
    for (const dataset of DATASETS)
      expect([dataset, await differences(connection, undisturbed, folder, dataset)]).toEqual([dataset, 0n]);
  },
);

test('an unreachable service ends a run with 3, and the next run converges', async () => {
  const sandbox = await sandboxFor({ generate: ['projects=1,crawls=1,pages=30,links=60,columns=8,seed=4'] });
  const folder = await rawProjectFolder();
  const pipelines = DATASETS;
  const environment = { CRAWLHOUSE_BASE_URL: 'http://127.0.0.1:9' };
  const { exitCode, errors } = await runProject(folder, sandbox, { pipelines, environment });
  expect([exitCode, errors.map((one) => one.code)]).toEqual([3, ['connection']]);
  expect((await runProject(folder, sandbox, { pipelines })).exitCode).toBe(0);
});
