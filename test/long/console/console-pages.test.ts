import { expect, test } from 'vitest';
import { loadSettings } from '../../../src/app/settings/load-settings.ts';
import { durationText } from '../../../src/core/text/amounts.ts';
import { runSeconds } from '../../../src/etl/project/model/runs/run-summary.ts';
import type { RunReport } from '../../../src/etl/project/model/runs/unit-report.ts';
import { readLiveRun } from '../../../src/etl/state/ledger/live-run.ts';
import type { Sandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { type OpenConsole, openConsole } from '../../support/open-console.ts';
import { environmentOf, projectFolder, runProject, sandboxFor } from '../../support/project.ts';

async function json(ask: OpenConsole['ask'], path: string) {
  return JSON.parse(await (await ask(path)).text());
}

async function scene(): Promise<{ sandbox: Sandbox; folder: string }> {
  const sandbox = await sandboxFor({
    generate: ['projects=2,crawls=3,pages=300,links=900,columns=90,seed=5'],
  });
  return { sandbox, folder: await projectFolder() };
}

test('the JSON of the console pages has the counts that the runs reported', async () => {
  const { sandbox, folder } = await scene();
  const settings = await loadSettings(folder, environmentOf(sandbox));
  const pipelines = ['crawl_pages', 'crawl_links', 'projects', 'crawls'];
  const phases = new Set<string>();
  const told: string[] = [];
  const { report }: { report: RunReport } = await runProject(folder, sandbox, {
    pipelines,
    progress: (text) => {
      told.push(text);
      phases.add(readLiveRun(settings.state_dir)?.progress?.phase ?? 'none');
    },
  });
  expect(report.status).toBe('done');
  expect(phases.size).toBeGreaterThan(1);
  expect(told[0]).toMatch(/ discover after /);
  expect(told.at(-1)).toContain(` publish after ${durationText(runSeconds(report))} · `);
  expect(readLiveRun(settings.state_dir)).toBeNull();

  const { ask } = await openConsole(settings);
  const operations = await json(ask, '/operations.json');
  expect([operations.live, operations.incidents, operations.failing]).toEqual([null, [], []]);
  expect(operations.units).toMatchObject({ published: report.units.length, failing: 0, due: 0 });
  expect(operations.projects.total).toBe(2);
  expect(operations.runs).toMatchObject([{ run_id: report.run_id, status: 'done' }]);

  const run = await json(ask, `/runs/${report.run_id}.json`);
  expect(run.loaded.map(({ unit }: { unit: string }) => unit).sort()).toEqual(
    report.units.map(({ unit }) => unit).sort(),
  );
  expect(run.models.length).toBe(report.models.filter(({ status }) => status === 'built').length);
  expect(run.tests.length).toBe(report.tests.length);

  for (const { unit, counts } of report.units) {
    const { load } = await json(ask, `/units/${unit}.json`);
    expect([load.counts, load.differing], unit).toEqual([counts, []]);
  }

  const { projects } = await json(ask, '/projects.json');
  expect(projects).toMatchObject([
    { crawls: 3, pages: 300 },
    { crawls: 3, pages: 300 },
  ]);
  const { sites } = await json(ask, '/index.json');
  for (const { project_id, crawl_id } of projects) {
    const site = sites.find((one: { project_id: string }) => one.project_id === project_id);
    expect(site).toMatchObject({ crawl_id, pages: 300, marks: [] });
    expect(site.trend).toHaveLength(3);
    const project = await json(ask, `/projects/${project_id}.json?wait=1`);
    expect(project.crawls).toHaveLength(3);
    for (const figure of ['trend', 'statuses', 'changes', 'funnel', 'depths', 'findings']) {
      expect(project[figure], figure).toMatchObject({ state: 'read', error: null });
      expect(project[figure].rows.length, figure).toBeGreaterThan(0);
    }
    expect(project.trend.rows.map(({ pages }: { pages: number }) => pages)).toEqual([300, 300, 300]);
    const crawl = await json(ask, `/crawls/${crawl_id}.json?wait=1`);
    expect(crawl.funnel.rows).toMatchObject([{ known: 300 }]);
    const statuses = crawl.statuses.rows.map(({ pages }: { pages: number }) => pages);
    expect(statuses.reduce((sum: number, pages: number) => sum + pages, 0)).toBe(300);
    expect(crawl.units.map(({ loaded }: { loaded: number }) => loaded)).toEqual(
      crawl.units.map(({ queryable }: { queryable: number }) => queryable),
    );
  }
});
