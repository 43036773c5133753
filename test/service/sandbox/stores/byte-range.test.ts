import { expect, test } from 'vitest';
import { byteRange } from '../../../../src/service/sandbox/stores/object-folder.ts';

test.each([
  [undefined, 10, undefined],
  ['bytes=0-3', 10, { first: 0, last: 3 }],
  ['bytes=3-', 10, { first: 3, last: 9 }],
  ['bytes=3-99', 10, { first: 3, last: 9 }],
  ['bytes=-3', 10, { first: 7, last: 9 }],
  ['bytes=-99', 10, { first: 0, last: 9 }],
  ['bytes=10-', 10, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=5-3', 10, undefined],
  ['bytes=-', 10, undefined],
  ['bytes=0-1,4-5', 10, undefined],
  ['lines=0-1', 10, undefined],
])('the range %s of %i bytes is %j', (header, size, range) => {
  expect(byteRange(header, size)).toEqual(range);
});
