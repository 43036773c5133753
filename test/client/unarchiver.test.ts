import { expect, test } from 'vitest';
import { unarchiveStep } from '../../src/client/unarchiver.ts';

type Command = Parameters<typeof unarchiveStep>[1];

function step(status: string, linkStatus: string, command: Command, links: boolean, asked = false): string {
  return unarchiveStep({ id: 'c1', status, link_status: linkStatus }, command, links, asked);
}

test.for([
  ['archived', 'archived', 'unarchive', false, 'ask', 'wait'],
  ['archived', 'archived', 'unarchive-fast', false, 'ask', 'wait'],
  ['archiving', 'live', 'unarchive', false, 'wait', 'wait'],
  ['unarchiving', 'archived', 'unarchive', true, 'wait', 'wait'],
  ['done', 'archived', 'unarchive-fast', false, 'go', 'go'],
  ['done', 'archived', 'unarchive', false, 'go', 'go'],
  // Somebody brought it back fast: its links are still to be asked for.
  ['done', 'archived', 'unarchive', true, 'ask', 'wait'],
  ['done', 'live', 'unarchive', true, 'go', 'go'],
] as const)(
  'a crawl that is %s with links %s, by %s for links %s: %s, and once asked %s',
  ([status, links, command, wantsLinks, first, then]) => {
    expect(step(status, links, command, wantsLinks)).toBe(first);
    expect(step(status, links, command, wantsLinks, true)).toBe(then);
  },
);

test('a crawl that cannot be restored is reported with its state', () => {
  const refused = { code: 'not_exportable', message: expect.stringContaining('the crawl c1 is cancelled') };
  expect(() => step('cancelled', 'live', 'unarchive', false)).toThrow(expect.objectContaining(refused));
  expect(() => step('done', 'archived', 'unarchive-fast', true)).toThrow(
    /unarchive-fast does not change this/,
  );
});
