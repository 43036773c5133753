import { expect, test } from 'vitest';
import { nearestTests } from './nearest-tests.ts';

const TESTS = [
  ...['test/core/net/retry.test.ts', 'test/core/net/retry-after.test.ts', 'test/core/net/web-url.test.ts'],
  'test/core/base.test.ts',
];

test('the tests of a source are those of its name, then those of its folder', () => {
  expect(nearestTests('src/core/net/retry.ts', TESTS)).toEqual({
    own: ['test/core/net/retry.test.ts', 'test/core/net/retry-after.test.ts'],
    folder: ['test/core/net/web-url.test.ts'],
  });
});

test('a folder without tests uses those of its parent folder', () => {
  expect(nearestTests('src/core/net/deep/file.ts', TESTS).folder).toHaveLength(3);
  expect(nearestTests('src/core/host/file.ts', TESTS).folder).toEqual(['test/core/base.test.ts']);
  expect(nearestTests('src/app/file.ts', TESTS)).toEqual({ own: [], folder: [] });
});
