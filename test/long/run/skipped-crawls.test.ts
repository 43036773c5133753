import { expect, test } from 'vitest';
import { crawlhouse, rawProjectFolder, runProject, sandboxFor } from '../../support/project.ts';

test('cancelled, unfinished and archived crawls are skipped once, with their reason', async () => {
  const sandbox = await sandboxFor({ generate: ['projects=1,crawls=4,pages=20,links=20,columns=20,seed=5'] });
  const folder = await rawProjectFolder();
  const listed = JSON.parse((await crawlhouse(folder, sandbox, ['discover', '--json'])).stdout) as {
    units: { dataset: string; source: { id: string } }[];
  };
  const ids = listed.units.filter((unit) => unit.dataset === 'crawl_pages').map((unit) => unit.source.id);
  const changes = [
    { status: 'cancelled', end_reason: 'user_cancelled' },
    { status: 'running', ended_at: null, end_reason: null },
    { status: 'archived' },
    { end_reason: 'user_requested', link_status: 'archived' },
  ];
  for (const [index, change] of changes.entries()) {
    const response = await fetch(`${sandbox.baseUrl}/_sandbox/crawls/${ids[index]}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(change),
    });
    expect(response.status).toBe(200);
  }
  const { report, exitCode } = await runProject(folder, sandbox);
  expect(exitCode).toBe(0);
  const crawlUnits = report.units.filter((unit) => ['crawl_pages', 'crawl_links'].includes(unit.dataset));
  const told = crawlUnits.map(
    (unit) => `${unit.dataset} ${ids.indexOf(unit.source.id)} ${unit.error?.message ?? unit.status}`,
  );
  expect(told.sort()).toEqual([
    'crawl_links 0 the crawl left no report (user_cancelled)',
    'crawl_links 2 the crawl is archived',
    'crawl_links 3 the links of the crawl are archived',
    'crawl_pages 0 the crawl left no report (user_cancelled)',
    'crawl_pages 2 the crawl is archived',
    'crawl_pages 3 loaded',
  ]);
  expect(JSON.parse((await crawlhouse(folder, sandbox, ['status', '--json'])).stdout).discovery.open).toEqual(
    [ids[1]],
  );
  const again = await runProject(folder, sandbox);
  expect(again.report.units.filter((unit) => unit.status === 'skipped')).toEqual([]);
});
