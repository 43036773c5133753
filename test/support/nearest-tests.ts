import { basename, dirname } from 'node:path';
import { loadedFiles } from './loaded-files.ts';

/** The tests that judge a source. Each list is empty if no such test loads the source. */
export interface NearestTests {
  /** Those of its name. */
  readonly own: readonly string[];
  /** The others of the nearest folder that has some. */
  readonly folder: readonly string[];
  /** Those of the folder above that folder. */
  readonly above: readonly string[];
}

/**
 * @param source such as `src/core/net/web-url.ts`
 * @param tests the files of `npm test`, such as `test/core/net/web-url.test.ts`
 */
export function nearestTests(
  source: string,
  tests: readonly string[],
  loads: (test: string) => ReadonlySet<string> = loadedFiles,
): NearestTests {
  const name = basename(source, '.ts');
  let folder = dirname(source).replace(/^src(?=\/|$)/, 'test');
  const within = (folder: string): readonly string[] =>
    tests.filter((test) => dirname(test) === folder && loads(test).has(source));
  while (folder.includes('/') && within(folder).length === 0) folder = dirname(folder);
  const isOwn = (test: string): boolean =>
    basename(test).startsWith(`${name}.`) || basename(test).startsWith(`${name}-`);
  return {
    own: within(folder).filter(isOwn),
    folder: within(folder).filter((test) => !isOwn(test)),
    above: within(dirname(folder)),
  };
}
