import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { FairQueue } from '../../../src/core/fair-queue.ts';
import { openConsole } from '../../support/open-console.ts';
import { seededRandom, testSeed } from '../../support/random.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { projectWithWarehouse } from './project-with-warehouse.ts';

const SESSIONS = 20;
const TICKS = 6000;

/** The waits of the sessions but the first, in ticks, at two places of which a session has one. */
async function waits(isGreedy: boolean): Promise<number[]> {
  const random = seededRandom(testSeed());
  const queue = new FairQueue({ all: 2, project: 1, store: 2 });
  const working = new Set<{ left: number; end: () => void }>();
  const found: number[] = [];
  let now = 0;
  const ask = (session: number, ticks: number): void => {
    const asked = now;
    void queue.run(String(session), async () => {
      if (session > 0) found.push(now - asked + ticks);
      await new Promise<void>((end) => working.add({ left: ticks, end }));
    });
  };
  for (; now < TICKS; now++) {
    for (let session = 1; session < SESSIONS; session++)
      if (random() < 0.01) ask(session, 1 + Math.floor(random() * 8));
    if (isGreedy && now % 2 === 0) ask(0, 8);
    await new Promise(setImmediate);
    for (const one of working) {
      one.left -= 1;
      if (one.left > 0) continue;
      working.delete(one);
      one.end();
    }
  }
  return found.sort((a, b) => a - b);
}

test('one greedy session of twenty at most doubles the 95th percentile of the others', async () => {
  const [without, beside] = [await waits(false), await waits(true)];
  const percentile = (all: readonly number[]): number => all[Math.floor(all.length * 0.95)] ?? 0;
  expect(without.length).toBeGreaterThan(500);
  expect(percentile(beside)).toBeLessThanOrEqual(2 * percentile(without));
});

test('a session listens in eight windows at most, and others beside it', async () => {
  const settings = await projectWithWarehouse(await temporaryFolder());
  const { ask, newLink } = await openConsole(settings);
  const listen = async (cookie?: string): Promise<number> => {
    const left = new AbortController();
    onTestFinished(() => left.abort());
    return (await ask('/live', { signal: left.signal, ...(cookie !== undefined && { cookie }) })).status;
  };
  const own = await Promise.all(Array.from({ length: 10 }, () => listen()));
  expect(own.sort()).toEqual([...Array.from({ length: 8 }, () => 200), 503, 503]);
  const other = await fetch(newLink(), { redirect: 'manual' });
  expect(await listen((other.headers.get('set-cookie') ?? '').split(';')[0])).toBe(200);
});

test('a reader who opens a download and reads nothing keeps no place', async () => {
  const settings = await projectWithWarehouse(await temporaryFolder());
  const { ask, url, newLink } = await openConsole(settings);
  const signedIn = await fetch(newLink(), { redirect: 'manual' });
  const [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';');
  const path = (rows: number): string =>
    `/ask/download?format=csv&sql=${encodeURIComponent(`SELECT repeat('x', 1000) AS x FROM range(${rows})`)}`;
  const { host, hostname, port } = new URL(url);
  const deaf = connect(Number(port), hostname);
  onTestFinished(() => void deaf.destroy());
  deaf.pause();
  deaf.write(`GET ${path(30_000)} HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\n\r\n`);
  const answers = await Promise.all([ask(path(10)), ask(path(10), { cookie })]);
  for (const answer of answers) expect((await answer.text()).trim().split('\n').length).toBe(11);
});
