import { basename, dirname } from 'node:path';

/** The tests that judge a source: those of its own name, and the others of the nearest folder that has some. */
export interface NearestTests {
  readonly own: readonly string[];
  readonly folder: readonly string[];
}

/**
 * @param source such as `src/core/net/web-url.ts`
 * @param tests the files of `npm test`, such as `test/core/net/web-url.test.ts`
 */
export function nearestTests(source: string, tests: readonly string[]): NearestTests {
  const name = basename(source, '.ts');
  let folder = dirname(source).replace(/^src(?=\/|$)/, 'test');
  let within: readonly string[] = [];
  for (; within.length === 0 && folder !== '.'; folder = dirname(folder))
    within = tests.filter((test) => dirname(test) === folder);
  const own = within.filter(
    (test) => basename(test).startsWith(`${name}.`) || basename(test).startsWith(`${name}-`),
  );
  return { own, folder: within.filter((test) => !own.includes(test)) };
}
