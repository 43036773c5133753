import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Lanes } from '../../../src/people/console/desk/desk.ts';
import { openConsole } from '../../support/open-console.ts';
import { seededRandom, testSeed } from '../../support/random.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { projectWithWarehouse } from './project-with-warehouse.ts';

const SESSIONS = 20;
const TICKS = 6000;
/** How often a session asks for a place of a lane, and the ticks that it may take. */
const KINDS = [
  { lane: 'pages', often: 0.02, most: 8 },
  { lane: 'slowPages', often: 0.005, most: 8 },
  { lane: 'asking', often: 0.01, most: 8 },
  { lane: 'downloads', often: 0.005, most: 8 },
] as const;
type LaneName = (typeof KINDS)[number]['lane'];

/** The waits of the sessions but the first, in ticks, by lane; a greedy one takes what it gets of each lane. */
async function waits(isGreedy: boolean): Promise<ReadonlyMap<LaneName, number[]>> {
  const random = seededRandom(testSeed());
  const lanes = new Lanes();
  const working = new Set<{ left: number; end: () => void }>();
  const found = new Map<LaneName, number[]>(KINDS.map(({ lane }) => [lane, []]));
  let now = 0;
  const ask = (session: number, lane: LaneName, ticks: number): void => {
    const asked = now;
    const work = async (): Promise<void> => {
      if (session > 0) found.get(lane)?.push(now - asked + ticks);
      await new Promise<void>((end) => working.add({ left: ticks, end }));
    };
    void lanes.of({ csrf: String(session) }, () => lanes[lane].run(work));
  };
  for (; now < TICKS; now++) {
    for (let session = 1; session < SESSIONS; session++)
      for (const { lane, often, most } of KINDS)
        if (random() < often) ask(session, lane, 1 + Math.floor(random() * most));
    if (isGreedy && now % 2 === 0) for (const { lane, most } of KINDS) ask(0, lane, most);
    await new Promise(setImmediate);
    for (const one of working) {
      one.left -= 1;
      if (one.left > 0) continue;
      working.delete(one);
      one.end();
    }
  }
  return found;
}

test('one greedy session of twenty at most doubles the 95th percentile of the others, in each lane', async () => {
  const [without, beside] = [await waits(false), await waits(true)];
  const percentile = (all: readonly number[] = []): number =>
    all.toSorted((a, b) => a - b)[Math.floor(all.length * 0.95)] ?? 0;
  for (const { lane } of KINDS) {
    expect(without.get(lane)?.length).toBeGreaterThan(400);
    expect.soft(percentile(beside.get(lane)), lane).toBeLessThanOrEqual(2 * percentile(without.get(lane)));
  }
});

test.for(['pages', 'asking', 'downloads'] as const)(
  'one session never has all places of %s',
  async (lane) => {
    const lanes = new Lanes();
    const never = () => new Promise<void>(() => {});
    for (let i = 0; i < 12; i++) void lanes.of({ csrf: 'greedy' }, () => lanes[lane].run(never));
    expect(await lanes.of({ csrf: 'other' }, () => lanes[lane].run(async () => 'read'))).toBe('read');
  },
);

test('a session listens in eight windows at most, and others beside it', async () => {
  const settings = await projectWithWarehouse(await temporaryFolder());
  const { ask, signIn } = await openConsole(settings);
  const listen = async (cookie?: string): Promise<number> => {
    const left = new AbortController();
    onTestFinished(() => left.abort());
    return (await ask('/live', { signal: left.signal, ...(cookie !== undefined && { cookie }) })).status;
  };
  const own = await Promise.all(Array.from({ length: 10 }, () => listen()));
  expect(own.sort()).toEqual([...Array.from({ length: 8 }, () => 200), 503, 503]);
  expect(await listen(await signIn())).toBe(200);
});

test('a reader who opens a download and reads nothing keeps no place', async () => {
  const settings = await projectWithWarehouse(await temporaryFolder());
  const { ask, url, signIn } = await openConsole(settings);
  const cookie = await signIn();
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
