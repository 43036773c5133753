import { expect, test } from 'vitest';
import { loadedFiles } from './loaded-files.ts';
import { nearestTests } from './nearest-tests.ts';

const TESTS = [
  ...['test/core/net/retry.test.ts', 'test/core/net/retry-after.test.ts', 'test/core/net/web-url.test.ts'],
  ...['test/core/base.test.ts', 'test/core/other.test.ts'],
];
const near = (source: string, tests: readonly string[] = TESTS, loading = tests) =>
  nearestTests(source, tests, (test) => new Set(loading.includes(test) ? [source] : []));

test('the tests of a source are those of its name, then those of its folder and of the folder above', () => {
  expect(near('src/core/net/retry.ts')).toEqual({
    own: ['test/core/net/retry.test.ts', 'test/core/net/retry-after.test.ts'],
    folder: ['test/core/net/web-url.test.ts'],
    above: ['test/core/base.test.ts', 'test/core/other.test.ts'],
  });
});

test('a folder none of whose tests load the source is skipped, and so is a test that does not', () => {
  expect(near('src/core/net/deep/file.ts').folder).toHaveLength(3);
  expect(near('src/core/host/file.ts').folder).toEqual(['test/core/base.test.ts', 'test/core/other.test.ts']);
  expect(near('src/core/net/retry.ts', TESTS, ['test/core/base.test.ts'])).toEqual({
    own: [],
    folder: ['test/core/base.test.ts'],
    above: [],
  });
  expect(near('src/app/file.ts')).toEqual({ own: [], folder: [], above: [] });
});

test('a test loads what its imports import, and the programs that they start', () => {
  const loaded = loadedFiles('test/app/answers/query/query-warehouse.test.ts');
  for (const name of ['query-process', 'query-child', 'warehouse'])
    expect(loaded).toContain(`src/app/answers/query/${name}.ts`);
  expect(loaded).not.toContain('src/site/crawler/crawl.ts');
});
