import { expect, test } from 'vitest';
import { shellStart } from '../../../../src/app/console/layout/shell.ts';

test.each([
  ['/', 'Overview'],
  ['/projects/p/pages', 'Projects'],
  ['/schedules', 'Operations'],
  ['/schedules/nightly', 'Operations'],
  ['/uploads/read', 'Do'],
  ['/search', undefined],
])('the page %s marks the entry %s', (path, name) => {
  const start = shellStart({ path, subject: 'Ada', csrf: '', canAct: true }, 'A page');
  expect(/aria-current="page">([^<]*)</.exec(start)?.[1]).toBe(name);
});
