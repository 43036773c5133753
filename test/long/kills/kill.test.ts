import { expect, test } from 'vitest';
import { EXPORTS, killProject, killScene, unlike } from '../../support/kill-scene.ts';
import { type Kill, killSummary } from '../../support/kill-summary.ts';
import { type Change, LedgerWatch, type Moment } from '../../support/kills.ts';
import { crawlhouse, spawnCrawlhouse } from '../../support/project.ts';
import { ALL_ROUNDS, roundSeed, seededRandom } from '../../support/random.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

/** Kills at least, and how often a life has one more. */
const [KILLS, AGAIN] = ALL_ROUNDS ? [200, 0.6] : [12, 0.3];
/** Changes of files at which a run is killed: those of a whole run are about as many. */
const FILE_CHANGES = 40;
const FILE_STEP = ALL_ROUNDS ? 2 : 16;
const seed = roundSeed();

/** Changes that one transaction writes together are one moment. */
function pointsOf(changes: readonly Change[]): number[] {
  const together = ['discovered', 'published'];
  return changes.flatMap(({ to }, index) =>
    together.includes(to) && changes[index + 1]?.to === to ? [] : [index + 1],
  );
}

test(`runs killed at every state change and elsewhere end with the rows of an undisturbed run (seed ${seed})`, async () => {
  const { sandbox, desk } = await killScene();
  const connection = await temporaryConnection(await temporaryFolder());
  const undisturbed = await killProject();
  const startedAt = performance.now();
  using seen = new LedgerWatch(undisturbed);
  expect((await crawlhouse(undisturbed, sandbox, ['run', '--store', 'store_a'])).status).toBe(0);
  const whole = performance.now() - startedAt;

  const random = seededRandom(seed);
  const pick = (most: number): number => 1 + Math.floor(random() * most);
  const changes = seen.changes();
  const anywhere = (): Moment =>
    [
      { kind: 'after', n: pick(changes.length) } as const,
      { kind: 'before', n: pick(changes.length) } as const,
      { kind: 'file', n: pick(FILE_CHANGES) } as const,
      { kind: 'time', ms: random() * whole } as const,
    ][pick(4) - 1] as Moment;
  // The first kill of each life goes through all that a run does; those that follow fall anywhere. Usually every
  // fourth state change has one of its two kills; within eight days each has both.
  const kinds = ['after', 'before'] as const;
  const first: Moment[] = pointsOf(changes).flatMap((n) =>
    kinds.filter((_, kind) => ALL_ROUNDS || (2 * n + kind + seed) % 8 === 0).map((kind) => ({ kind, n })),
  );
  for (let n = 1 + (seed % FILE_STEP); n <= FILE_CHANGES; n += FILE_STEP) first.push({ kind: 'file', n });

  const kills: Kill[] = [];
  const wrong: unknown[] = [];
  let lives = 0;
  for (; first.length > 0 || kills.length < KILLS; lives++) {
    const args = ['run', '--store', lives % 2 === 0 ? 'store_a' : 'store_b'];
    const folder = await killProject();
    const before = await desk.asked();
    using watch = new LedgerWatch(folder);
    const moments = [first.shift() ?? anywhere()];
    while (random() < AGAIN) moments.push(anywhere());
    for (const moment of moments) {
      const last = await watch.kill(spawnCrawlhouse(folder, sandbox, args), moment);
      if (last) kills.push({ moment, last });
    }
    const { status, stderr } = await crawlhouse(folder, sandbox, args);
    if (status !== 0) wrong.push({ life: lives, moments, status, stderr });
    const differences = status === 0 ? await unlike(connection, undisturbed, folder) : [];
    if (differences.length > 0) wrong.push({ life: lives, moments, differences, changes: watch.changes() });
    const asked = (await desk.asked()) - before;
    if (asked !== EXPORTS) wrong.push({ life: lives, moments, asked, changes: watch.changes() });
  }

  const seconds = Math.round((performance.now() - startedAt) / 1000);
  process.stdout.write(
    `${kills.length} kills in ${lives} lives, seed ${seed}, ${seconds} s\n${killSummary(kills)}\n` +
      `data exports asked for: ${(await desk.asked()) - EXPORTS} by ${lives * EXPORTS} units; lives that ended otherwise: ${wrong.length}\n`,
  );
  if (wrong.length > 0) process.stdout.write(`${JSON.stringify(wrong, null, 1)}\n`);
  expect(wrong).toEqual([]);
}, 3_600_000);
