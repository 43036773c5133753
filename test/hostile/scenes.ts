import fc from 'fast-check';
import { HostileProject, type Scene } from './hostile-project.ts';
import { LISTS, type ListFault } from './lists.ts';
import { unitCase } from './unit-case.ts';

const lists = Object.keys(LISTS) as ListFault[];

const sceneOf = (units: number): fc.Arbitrary<Scene> =>
  fc.record({
    units: fc.array(unitCase, { minLength: units, maxLength: units }),
    lists: fc.oneof(
      { weight: 5, arbitrary: fc.constant<ListFault>('right') },
      { weight: 1, arbitrary: fc.constantFrom(...lists) },
    ),
    format: fc.constantFrom('csv', 'json'),
  });

/**
 * Plays `cases` crawls of a hostile service, `perRun` a run, against one warehouse; says what became of them.
 *
 * @throws what did not hold, with the scene and the seed
 */
export async function playScenes(cases: number, perRun: number, seed: number): Promise<string> {
  const hostile = await HostileProject.open();
  const outcome = await fc.check(
    fc.asyncProperty(sceneOf(perRun), (one) => hostile.play(one)),
    { numRuns: Math.ceil(cases / perRun), seed, endOnFailure: true },
  );
  const { loaded, refused, failed, ended, most } = hostile.tally;
  const summary =
    `${cases} cases, seed ${seed}: ${loaded} loaded with equal rows, ${refused} refused, ${failed} failed, ` +
    `${ended} runs ended by their lists; at most ${Math.round(most.peakMb)} MB of memory, ` +
    `${most.seconds.toFixed(1)} s, ${Math.round(most.stateMb)} MB of state and ${most.requests} requests a run`;
  // The scene itself is a hundred units long: the seed makes it again, so the cause alone is said.
  if (outcome.failed)
    throw new Error(`run ${outcome.numRuns}: ${messageOf(outcome.errorInstance)}\n${summary}`);
  return summary;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
