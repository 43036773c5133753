import { until } from '../support/until.ts';
import { temporaryFiles } from './sample.ts';
import type { Scene } from './scene.ts';

/** The end: what was not as it has to be, and how much was compared. */
export interface Settled {
  readonly problems: readonly string[];
  /** Crawls and rows whose counts are those of the service. */
  readonly crawls: number;
  readonly rows: number;
}

const IDLE_MS = 300_000;
const CRAWLS_END_MS = 300_000;

/** Ends the crawls under way, stops the schedule, runs once without faults, and compares the counts with the service's. */
export async function settle(scene: Scene): Promise<Settled> {
  const { service, schedule, console, workers } = scene;
  await service.clearFaults();
  await service.finish();
  await until(async () => ((await service.crawls()).underWay === 0 ? true : undefined), CRAWLS_END_MS);
  await until(() => isIdle(scene), IDLE_MS);
  const problems: string[] = [];
  const ends = async (process: typeof schedule, right: number): Promise<void> => {
    if (!process.isAlive) problems.push(`${process.name} is not alive at the end`);
    const code = await process.end('SIGTERM');
    if (code !== right) problems.push(`${process.name} ended with ${code} after SIGTERM, not with ${right}`);
  };
  await ends(schedule, 143);
  const { code, stderr } = await scene.command('run', '--quiet');
  if (code !== 0) problems.push(`the last quiet run ended with ${code}: ${stderr.slice(0, 500)}`);
  const compared = await compareCounts(scene);
  problems.push(...compared.problems);
  for (const process of workers) await ends(process, 143);
  await ends(console, 0);
  problems.push(...(await temporaryFiles(scene.folders)).map((file) => `a temporary file is left: ${file}`));
  return { ...compared, problems };
}

async function isIdle({ scheduleAddress }: Scene): Promise<true | undefined> {
  try {
    const answer = await fetch(`http://${scheduleAddress}/readyz`, { signal: AbortSignal.timeout(10_000) });
    const { running } = (await answer.json()) as { running: unknown };
    return running === null ? true : undefined;
  } catch {
    // It may have just been started.
    return undefined;
  }
}

interface Count {
  readonly data: 'pages' | 'links';
  readonly crawl: string;
  readonly rows: number;
}

const COUNTS = `
  SELECT 'pages' AS data, _crawl_id AS crawl, count(*)::INTEGER AS rows FROM raw.crawl_pages GROUP BY ALL
  UNION ALL
  SELECT 'links', _crawl_id, count(*)::INTEGER FROM raw.crawl_links GROUP BY ALL`;

async function compareCounts({ service, command }: Scene): Promise<Settled> {
  const { code, stdout, stderr } = await command('query', COUNTS, '--format', 'json');
  if (code !== 0)
    return { problems: [`the last query ended with ${code}: ${stderr.slice(0, 500)}`], crawls: 0, rows: 0 };
  const counts = JSON.parse(stdout) as Count[];
  const { done } = await service.crawls();
  const problems = counts
    .filter(({ crawl }) => !done.includes(crawl))
    .map(
      ({ crawl, data }) => `the warehouse has ${data} of ${crawl}, which the service does not list as done`,
    );
  let rows = 0;
  for (const crawl of done) {
    for (const data of ['pages', 'links'] as const) {
      const right = await service.rows(crawl, data);
      const found = counts.filter((one) => one.crawl === crawl && one.data === data);
      const loaded = found.reduce((sum, one) => sum + one.rows, 0);
      if (loaded !== right)
        problems.push(`${data} of ${crawl}: ${loaded} rows in the warehouse, ${right} at the service`);
      rows += loaded;
    }
  }
  return { problems, crawls: done.length, rows };
}
