import { expect, test } from 'vitest';
import { type Meddling, meddledSandbox } from '../../../support/meddler.ts';
import { rawProjectFolder, runProject, sandboxFor, setFaults } from '../../../support/project.ts';

/** A run of one crawl's pages, and its one unit. */
async function unitOf(faults: readonly object[], meddle: Meddling = () => null) {
  const sandbox = await sandboxFor({ generate: ['crawls=1,pages=12,links=5,columns=8,seed=3'] });
  const folder = await rawProjectFolder();
  await setFaults(sandbox, faults);
  const { report } = await runProject(folder, await meddledSandbox(sandbox, meddle), {
    pipelines: ['crawl_pages'],
    format: 'json',
  });
  return report.units[0];
}

test('a truncated download is started again', async () => {
  const cut = { match: { path: 'export=true' }, kind: 'truncate', after_bytes: 300, times: 1 };
  expect(await unitOf([cut])).toMatchObject({
    status: 'loaded',
    attempts: 2,
    counts: { reported: 12, received: 12, staged: 12, loaded: 12 },
  });
});

test('a complete download with another row count is tried once more, then refused', async () => {
  const unit = await unitOf([], (request, response) => {
    if (!request.url?.includes('export=true')) return null;
    response.end('{"url":"https://x/"}\n');
    return 'answered';
  });
  expect(unit).toMatchObject({
    status: 'refused',
    attempts: 2,
    error: {
      code: 'unreconciled',
      message: expect.stringContaining('12 rows reported by the service, but 1 received'),
    },
  });
});
