import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UnitEvent } from '../../../src/etl/project/model/runs/unit-event.ts';
import {
  clearFaults,
  crawlhouse,
  rawProjectFolder,
  sandboxFor,
  setFaults,
  spawnCrawlhouse,
} from '../../support/project.ts';
import { until } from '../../support/until.ts';

async function eventsIn(folder: string): Promise<UnitEvent[]> {
  const text = await readFile(join(folder, 'events.jsonl'), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => UnitEvent.parse(JSON.parse(line)));
}

const unitsOf = (events: readonly UnitEvent[], name: UnitEvent['event']): string[] =>
  events.filter(({ event }) => event === name).map(({ unit }) => unit);

test('each unit is planned, extracted, staged, loaded and published, with its rows, in this order', async () => {
  const sandbox = await sandboxFor({ generate: ['projects=1,crawls=2,pages=20,links=0,seed=5'] });
  const folder = await rawProjectFolder();
  await setFaults(sandbox, [{ match: { path: '/data/crawl/' }, kind: 'status', status: 403 }]);
  await crawlhouse(folder, sandbox, ['run', 'crawl_pages', '--events', 'events.jsonl']);
  const refused = await eventsIn(folder);
  expect(refused.map(({ event, error }) => [event, error?.code])).toEqual([
    ['planned', undefined],
    ['planned', undefined],

    ['failed', 'forbidden'],
    ['failed', 'forbidden'],
  ]);
  await clearFaults(sandbox);
  const run = await crawlhouse(folder, sandbox, ['run', 'crawl_pages', '--events', 'events.jsonl', '--json']);
  const report = JSON.parse(run.stdout);
  const events = (await eventsIn(folder)).slice(refused.length);
  expect(report.units).toHaveLength(2);
  for (const { unit, counts } of report.units) {
    const own = events.filter((one) => one.unit === unit);
    expect(own.map(({ event }) => event)).toEqual(['planned', 'extracted', 'staged', 'loaded', 'published']);
    expect(own.slice(1).map(({ rows }) => rows)).toEqual(Array(4).fill(counts.loaded));
    expect(own[3]?.seconds).toBeGreaterThanOrEqual(own[2]?.seconds ?? Number.NaN);
    expect(new Set(own.map(({ run_id }) => run_id))).toEqual(new Set([report.run_id]));
  }
  const id = report.units[0].source.id;
  const args = ['run', 'crawl_pages', '--crawl', id, '--reload', '--events', '-'];
  const { stderr } = await crawlhouse(folder, sandbox, args);
  const lines = stderr.split('\n').filter((line) => line.startsWith('{'));
  expect(lines.map((line) => UnitEvent.parse(JSON.parse(line)).event).at(-1)).toBe('published');
});

test('after kill -9 the event file contains only finished steps, and the next run appends the rest', async () => {
  const sandbox = await sandboxFor({ generate: ['projects=1,crawls=6,pages=20,links=0,seed=5'] });
  const folder = await rawProjectFolder();
  const args = ['run', 'crawl_pages', '--events', 'events.jsonl'];
  for (let round = 1; round <= 3; round++) {
    const before = unitsOf(await eventsIn(folder), 'loaded').length;
    const child = spawnCrawlhouse(folder, sandbox, args);
    const ended = once(child, 'exit');
    await until(
      async () =>
        child.exitCode !== null || unitsOf(await eventsIn(folder), 'loaded').length > before || undefined,
    );
    child.kill('SIGKILL');
    await ended;
    const events = await eventsIn(folder);
    const { stdout } = await crawlhouse(folder, sandbox, ['status', '--json']);
    const { units } = JSON.parse(stdout) as { units: { unit: string; status: string }[] };
    const done = new Set(
      units.filter(({ status }) => status === 'loaded' || status === 'published').map(({ unit }) => unit),
    );
    const loaded = new Set(unitsOf(events, 'loaded'));
    // A line follows its commit: the kill may have come between them, for the units of one load.
    for (const unit of loaded) expect(done).toContain(unit);
    for (const unit of unitsOf(events, 'published')) expect(done).toContain(unit);
  }
  expect((await crawlhouse(folder, sandbox, args)).status).toBe(0);
  const events = await eventsIn(folder);
  const planned = new Set(unitsOf(events, 'planned'));
  expect(planned.size).toBe(6);
  expect(new Set(unitsOf(events, 'published'))).toEqual(planned);
  expect(unitsOf(events, 'published')).toHaveLength(6);
});
