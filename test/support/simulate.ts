import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { planTick, type ScheduleState } from '../../src/app/operations/schedule/plan-tick.ts';
import { Schedule } from '../../src/etl/project/settings/schedules.ts';
import { clearFaults, published, rawProjectFolder, requestCount, runProject, setFaults } from './project.ts';
import { seededRandom } from './random.ts';
import { type Listed, ServiceLife } from './service-life.ts';
import { temporaryConnection, temporaryFolder } from './temporary.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** The schedule is looked at each hour, life goes on in steps of so many. */
const STEP = 4;
const START = Date.parse('2027-01-01T00:00:00Z');

const SCHEDULE = Schedule.parse({ name: 'morning', cron: '0 8 * * *', time_zone: 'Europe/Paris' });
const PIPELINES = ['crawls', 'crawl_over_crawls', 'crawl_pages', 'crawl_over_crawl_pages'];

/** What can go wrong with a run; each lasts for that one. */
const FAULTS = [
  { match: {}, kind: 'status', status: 401 },
  { match: { path: '/crawls/\\w+/pages' }, kind: 'status', status: 404 },
  { match: { path: 'export=true' }, kind: 'truncate', after_bytes: 200, times: 1 },
  { match: { path: '/workspaces/\\w+/crawls' }, kind: 'status', status: 404 },
  { match: { path: '/crawls/\\w+/fields|pages/fields' }, kind: 'status', status: 404 },
];

/** What must be in the warehouse at the end, and what may be: plain code, told only what the service listed at each run. */
class Model {
  readonly must = new Set<string>();
  readonly may = new Set<string>();

  /** A run that nothing kept from its work loads all that is finished; one with faults may. */
  atRun(crawls: readonly Listed[], comparisons: readonly Listed[], withFaults: boolean): void {
    const hasReport = ({ status, end_reason }: Listed): boolean =>
      status === 'done' && !['user_cancelled', 'crawl_already_running'].includes(end_reason ?? '');
    const finished = [
      ...crawls.filter(hasReport).map(({ id }) => `crawl_pages/${id}`),
      ...comparisons
        .filter(({ status }) => status === 'done')
        .map(({ id }) => `crawl_over_crawl_pages/${id}`),
    ];
    for (const unit of finished) {
      this.may.add(unit);
      if (!withFaults) this.must.add(unit);
    }
  }
}

/**
 * Lives so many days of a schedule over a service in which crawls start, pause, end late, are archived, deleted and run
 * again, with faults and with nights in which nobody was there; then holds the warehouse against the model.
 *
 * @returns a line that says what there was
 */
export async function simulate(days: number, seed: number, liveliness = 1): Promise<string> {
  const random = seededRandom(seed);
  const folder = await rawProjectFolder();
  // Reading the others each morning would take a good part of the time.
  for (const file of await readdir(join(folder, 'pipelines')))
    if (!PIPELINES.includes(file.replace('.yaml', ''))) await rm(join(folder, 'pipelines', file));
  await using life = await ServiceLife.begin(join(await temporaryFolder(), 'sandbox'), START, random);
  const { sandbox } = life;
  const model = new Model();
  const runs = { all: 0, faulty: 0, failed: 0, made_up: 0, requests: 0 };

  const run = async (now: number, withFaults: boolean): Promise<void> => {
    const [crawls, comparisons] = [await life.all('crawls'), await life.all('crawl_over_crawls')];
    if (withFaults) await setFaults(sandbox, [FAULTS[Math.floor(random() * FAULTS.length)]]);
    const before = await requestCount(sandbox);
    const { exitCode, errors } = await runProject(folder, sandbox, { now });
    runs.requests += (await requestCount(sandbox)) - before;
    await clearFaults(sandbox);
    if (!withFaults) expect(errors).toEqual([]);
    model.atRun(crawls, comparisons, withFaults);
    runs.all++;
    if (withFaults) runs.faulty++;
    if (exitCode !== 0) runs.failed++;
  };

  let state: ScheduleState = {};
  let asleepUntil = 0;
  const end = START + days * DAY;
  for (let now = START, hour = 0; now < end; now += HOUR, hour++) {
    if (hour % STEP === 0) {
      await life.setClock(now);
      await life.live(now, liveliness);
      if (random() < 0.012) asleepUntil = now + Math.ceil(random() * 3) * DAY;
    }
    if (now < asleepUntil) continue;
    const tick = planTick([SCHEDULE], state, now, { running: new Set(), seed: 'here' });
    state = tick.state;
    for (const { missed } of tick.starts) {
      runs.made_up += missed;
      // A few minutes later nothing is on its way any more.
      const at = now + 5 * 60_000;
      await life.setClock(at);
      await run(at, random() < 0.1);
    }
  }
  await life.setClock(end);
  await run(end, false);
  await holdAgainst(model, life, folder);
  const { all, faulty, failed, made_up, requests } = runs;
  const events = Object.entries(life.done).map(([name, count]) => `${count} ${name}`);
  return `${days} days, seed ${seed}: ${all} runs (${made_up} firings made up for, ${faulty} with faults, ${failed} failed), ${Math.round(requests / all)} requests a run; ${events.join(', ')}; ${model.must.size} crawls and comparisons had to be there and are, each once`;
}

async function holdAgainst(model: Model, life: ServiceLife, folder: string): Promise<void> {
  const connection = await temporaryConnection(await temporaryFolder());
  const sql = (query: string) => published(connection, folder, query);
  const loads = await sql(
    `SELECT unit, reported, loaded FROM ops.loads WHERE dataset IN ('crawl_pages', 'crawl_over_crawl_pages') ORDER BY unit`,
  );
  const there = new Set(loads.map(({ unit }) => String(unit)));
  expect([...model.must].filter((unit) => !there.has(unit))).toEqual([]);
  expect([...there].filter((unit) => !model.may.has(unit))).toEqual([]);
  expect(loads).toHaveLength(there.size);
  for (const dataset of ['crawl_pages', 'crawl_over_crawl_pages']) {
    const rows = await sql(
      `SELECT _unit AS unit, count(*) AS n FROM raw.${dataset} GROUP BY _unit ORDER BY _unit`,
    );
    const counted = loads.filter(
      ({ unit, reported }) => String(unit).startsWith(`${dataset}/`) && reported !== '0',
    );
    expect(rows).toEqual(counted.map(({ unit, reported }) => ({ unit, n: reported })));
  }
  const pages = await sql(
    'SELECT count(*) AS n, count(DISTINCT (_crawl_id, url)) AS urls FROM raw.crawl_pages',
  );
  expect(pages[0]?.n).toBe(pages[0]?.urls);
  for (const name of ['crawls', 'crawl_over_crawls'] as const) {
    const listed = (await life.all(name)).map(({ id }) => id).sort();
    const present = await sql(`SELECT id FROM raw.${name} WHERE _seen_to IS NULL ORDER BY id`);
    expect(present.map(({ id }) => id)).toEqual(listed);
  }
}
