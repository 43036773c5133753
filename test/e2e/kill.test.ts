import { expect, test } from 'vitest';
import { EXPORTS, killProject, killScene, unlike } from '../support/kill-scene.ts';
import { LedgerWatch, type Moment } from '../support/kills.ts';
import { crawlhouse, spawnCrawlhouse } from '../support/project.ts';
import { seededRandom, testSeed } from '../support/random.ts';
import { temporaryConnection, temporaryFolder } from '../support/temporary.ts';

/** `test/long/kill.test.ts` kills a hundred times. */
const KILLS = 2;

test(`killed ${KILLS} times at its state changes, a run ends where an undisturbed one does (seed ${testSeed()})`, async () => {
  const { sandbox, desk } = await killScene();
  const connection = await temporaryConnection(await temporaryFolder());
  const undisturbed = await killProject();
  expect((await crawlhouse(undisturbed, sandbox, ['run'])).status).toBe(0);
  expect(await desk.asked()).toBe(EXPORTS);

  const random = seededRandom(testSeed());
  const killed = await killProject();
  using watch = new LedgerWatch(killed);
  const ends: unknown[] = [];
  for (let kill = 1; kill <= KILLS; kill++) {
    // Further each time: what a run finds done it does not do again.
    const moment: Moment = {
      kind: kill % 2 === 0 ? 'before' : 'after',
      n: 1 + Math.floor(random() * 4 * kill),
    };
    ends.push(await watch.kill(spawnCrawlhouse(killed, sandbox, ['run']), moment));
  }
  expect(ends.filter((end) => end !== null).length).toBeGreaterThan(KILLS / 2);
  const last = await crawlhouse(killed, sandbox, ['run']);
  expect([last.status, last.stderr]).toEqual([0, expect.any(String)]);
  expect(await unlike(connection, undisturbed, killed)).toEqual([]);
  expect(await desk.asked()).toBe(2 * EXPORTS);
});
