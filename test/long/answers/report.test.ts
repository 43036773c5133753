import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fireSchedule } from '../../../src/app/cli/commands/schedule.ts';
import { loadSettings } from '../../../src/app/settings/load-settings.ts';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import { loadSchedules } from '../../../src/etl/project/settings/schedules.ts';
import { crawlhouse, environmentOf, projectFolder, runProject, sandboxFor } from '../../support/project.ts';

test('the report of two projects is one offline file with the figures of the saved questions', async () => {
  const sandbox = await sandboxFor({ generate: ['projects=2,crawls=3,pages=40,links=80,columns=40,seed=5'] });
  const folder = await projectFolder();
  expect((await runProject(folder, sandbox)).exitCode).toBe(0);
  const made = await crawlhouse(folder, null, ['report', '--output', 'r.html']);
  expect([made.status, made.stderr]).toEqual([0, '2 projects in r.html\n']);
  const page = await readFile(join(folder, 'r.html'), 'utf8');
  expect(page).toContain("default-src 'none'");
  expect(page).not.toMatch(/<script|src=|@import|url\(/);
  expect(page.match(/<div role="img"/g)).toHaveLength(10);
  const { projects } = JSON.parse((await crawlhouse(folder, null, ['report', '--json'])).stdout);
  const [first] = projects;
  expect(first.trend).toHaveLength(3);
  const ends = first.trend.map(({ ended_at }: { ended_at: string }) => ended_at);
  expect(ends).toEqual(ends.toSorted());
  expect(first.trend.at(-1).crawl_id).toBe(first.crawl_id);
  // The same figure by another way: the statuses of a crawl add up to its pages.
  for (const point of first.trend) {
    const pages = first.statusTrend
      .filter(({ crawl_id }: { crawl_id: string }) => crawl_id === point.crawl_id)
      .reduce((sum: number, one: { pages: number }) => sum + one.pages, 0);
    expect(pages).toBe(point.pages);
  }
  const sql = `SELECT sum(pages) AS pages FROM (SELECT count(*) AS pages FROM mart.page_actions WHERE crawl_id = '${first.crawl_id}')`;
  const { stdout } = await crawlhouse(folder, null, ['query', sql, '--json']);
  const found = first.findings.reduce((sum: number, { pages }: { pages: number }) => sum + pages, 0);
  expect(JSON.parse(stdout)[0].pages).toBe(found);
  const one = await crawlhouse(folder, null, ['report', '--project', first.project_name, '--json']);
  expect(JSON.parse(one.stdout).projects).toEqual([first]);
  const [schedule] = await loadSchedules(folder, []);
  if (schedule === undefined) throw new Error('no schedule');
  const firing = {
    schedule: { ...schedule, pipelines: 'all', report: 'after.html' } as const,
    isLast: true,
    schedulesError: null,
  };
  const settings = await loadSettings(folder, environmentOf(sandbox));
  await fireSchedule(settings, firing, silentLogger, new AbortController().signal);
  const after = await readFile(join(folder, 'after.html'), 'utf8');
  const undated = (text: string): string => text.replace(/Made \S+ \S+ UTC/, '');
  expect(undated(after)).toBe(undated(page));
  const unknown = await crawlhouse(folder, null, ['report', '--project', 'nobody']);
  expect([unknown.status, unknown.stderr]).toEqual([2, expect.stringContaining('no project nobody')]);
  const [issue] = first.issues.map((one: { issue: string }) => one.issue);
  const chosen = await crawlhouse(folder, null, ['report', '--issues', `${issue},`, '--json']);
  const names = JSON.parse(chosen.stdout).projects.flatMap(
    (one: { issues: { issue: string }[] }) => one.issues,
  );
  expect(new Set(names.map((one: { issue: string }) => one.issue))).toEqual(new Set([issue]));
  const stranger = await crawlhouse(folder, null, ['report', '--issues', 'nonsense']);
  expect([stranger.status, stranger.stderr]).toEqual([
    2,
    expect.stringContaining('there is no issue nonsense'),
  ]);
  await appendFile(join(folder, 'crawlhouse.yaml'), '\nreport: { client: Tea & Co, logo: logo.svg }\n');
  const lost = await crawlhouse(folder, null, ['report']);
  expect([lost.status, lost.stderr]).toEqual([
    2,
    expect.stringContaining('report.logo: logo.svg cannot be read'),
  ]);
  await writeFile(join(folder, 'logo.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  const signed = await crawlhouse(folder, null, ['report', '--note', 'Mine', '--output', 's.html']);
  expect([signed.status, await readFile(join(folder, 's.html'), 'utf8')]).toEqual([
    0,
    expect.stringMatching(
      /For Tea &amp; Co\.[\s\S]*data:image\/svg\+xml;base64,[\s\S]*<p class="remark">Mine</,
    ),
  ]);
  const refused = await crawlhouse(folder, null, ['report', '--output', 'warehouse.duckdb']);
  expect(refused.status).toBe(2);
});
