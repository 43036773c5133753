import { expect, test } from 'vitest';
import { capture } from '../capture.ts';

test('exactly one change is rehearsed', async () => {
  const none = await capture('rehearse');
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('no change is named')]);
  expect(none.stderr).toContain('changes: --robots, --remove, --noindex, --redirects');
  const two = await capture('rehearse', '--remove', 'true', '--noindex', 'true');
  expect([two.code, two.stderr]).toEqual([
    2,
    expect.stringContaining('only one change can be rehearsed at a time: --remove or --noindex'),
  ]);
});
