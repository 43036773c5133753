import { join } from 'node:path';
import { createVitest } from 'vitest/node';

/** What `mutate-typescript.ts` asks for. */
export interface RunRequest {
  readonly tests: readonly string[];
  /** What changed since the last run. */
  readonly changed: readonly string[];
}

// It stays between two faults: to start and to read the unchanged sources takes longer than the nearest tests do.
const root = process.cwd();
const vitest = await createVitest('test', { root, watch: false, bail: 1, maxWorkers: 1, reporters: [{}] });
const known = Map.groupBy(await vitest.globTestSpecifications(), (one) => one.moduleId);

process.on('message', async ({ tests, changed }: RunRequest) => {
  for (const file of changed) vitest.invalidateFile(join(root, file));
  const files = tests.flatMap((file) => known.get(join(root, file)) ?? []);
  if (files.length === 0) throw new Error(`no test is ${tests.join(', ')}`);
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(files);
  const chosen = new Set(files.map((one) => one.moduleId));
  const ran = testModules.filter((module) => chosen.has(module.moduleId));
  const isGood = ran.length === files.length && ran.every((module) => module.ok());
  process.send?.(isGood && unhandledErrors.length === 0);
});
