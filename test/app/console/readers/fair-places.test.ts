import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Lanes } from '../../../../src/app/console/readers/readers.ts';
import { openConsole } from '../../../support/open-console.ts';
import { seededRandom, testSeed } from '../../../support/random.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { projectWithWarehouse } from '../project-with-warehouse.ts';

const PEOPLE = 20;
const TICKS = 6000;
/** How often a person asks for a place of a lane, and the ticks that it may take. */
const KINDS = [
  { lane: 'pages', often: 0.02, most: 8 },
  { lane: 'slowPages', often: 0.005, most: 8 },
  { lane: 'asking', often: 0.01, most: 8 },
  { lane: 'downloads', often: 0.005, most: 8 },
] as const;
type LaneName = (typeof KINDS)[number]['lane'];

/** The waits of the people but the first, in ticks, by lane; a greedy one takes what it gets of each lane. */
async function waits(isGreedy: boolean): Promise<ReadonlyMap<LaneName, number[]>> {
  const random = seededRandom(testSeed());
  const lanes = new Lanes();
  const working = new Set<{ left: number; end: () => void }>();
  const found = new Map<LaneName, number[]>(KINDS.map(({ lane }) => [lane, []]));
  let now = 0;
  const ask = (person: number, lane: LaneName, ticks: number): void => {
    const asked = now;
    const work = async (): Promise<void> => {
      if (person > 0) found.get(lane)?.push(now - asked + ticks);
      await new Promise<void>((end) => working.add({ left: ticks, end }));
    };
    void lanes.of({ subject: String(person) }, () => lanes[lane].run(work));
  };
  for (; now < TICKS; now++) {
    for (let person = 1; person < PEOPLE; person++)
      for (const { lane, often, most } of KINDS)
        if (random() < often) ask(person, lane, 1 + Math.floor(random() * most));
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

test('one greedy person among twenty at most doubles the 95th percentile of the others, in each lane', async () => {
  const [without, beside] = [await waits(false), await waits(true)];
  const percentile = (all: readonly number[] = []): number =>
    all.toSorted((a, b) => a - b)[Math.floor(all.length * 0.95)] ?? 0;
  for (const { lane } of KINDS) {
    expect(without.get(lane)?.length).toBeGreaterThan(400);
    expect.soft(percentile(beside.get(lane)), lane).toBeLessThanOrEqual(2 * percentile(without.get(lane)));
  }
});

test.for(['pages', 'asking', 'downloads'] as const)('one person never gets all slots of %s', async (lane) => {
  const lanes = new Lanes();
  const never = () => new Promise<void>(() => {});
  for (let i = 0; i < 12; i++) void lanes.of({ subject: 'greedy' }, () => lanes[lane].run(never));
  expect(await lanes.of({ subject: 'other' }, () => lanes[lane].run(async () => 'read'))).toBe('read');
});

test('a person has at most eight live windows over all sessions, and other people keep theirs', async () => {
  const settings = await projectWithWarehouse(await temporaryFolder());
  const { ask, signIn } = await openConsole(settings);
  const listen = async (cookie: string): Promise<number> => {
    const left = new AbortController();
    onTestFinished(() => left.abort());
    return (await ask('/live', { signal: left.signal, cookie })).status;
  };
  const cookies = await Promise.all(Array.from({ length: 10 }, () => signIn('one@example.com')));
  const own = await Promise.all(cookies.map(listen));
  expect(own.sort()).toEqual([...Array.from({ length: 8 }, () => 200), 503, 503]);
  expect(await listen(await signIn('other@example.com'))).toBe(200);
});

test('four sessions of one person share the slots of one person', async () => {
  const settings = await projectWithWarehouse(await temporaryFolder());
  const { ask, signIn } = await openConsole(settings);
  const left = new AbortController();
  onTestFinished(() => left.abort());
  const slow = 'SELECT count(*) FROM range(1000000) AS a, range(1000000) AS b';
  const path = (sql: string): string => `/ask/download?format=csv&sql=${encodeURIComponent(sql)}`;
  const greedy = await Promise.all(Array.from({ length: 4 }, () => signIn('greedy@example.com')));
  for (const cookie of greedy) ask(path(slow), { cookie, signal: left.signal }).catch(() => undefined);
  await expect
    .poll(async () => (await ask(path(slow), { cookie: greedy[0] ?? '' })).status, { timeout: 10_000 })
    .toBe(429);
  const other = await ask(path('SELECT 1 AS x'), { cookie: await signIn('other@example.com') });
  expect((await other.text()).trim()).toBe('x\n1');
});

test('a person who opens a download without reading it keeps no slot', async () => {
  const settings = await projectWithWarehouse(await temporaryFolder());
  const { ask, url, signIn } = await openConsole(settings);
  const cookie = await signIn('deaf@example.com');
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
