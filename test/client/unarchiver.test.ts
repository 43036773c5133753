import { expect, test } from 'vitest';
import type { ServiceClient } from '../../src/client/http/service-client.ts';
import { Unarchiver, unarchiveStep } from '../../src/client/unarchiver.ts';
import { CrawlhouseError } from '../../src/core/errors/errors.ts';

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

/** An unarchiver over a service whose crawls have these states, one after the other; with the commands it received. */
function unarchiver(states: string[], { most = 9, waitMs = 60_000, error = null as Error | null } = {}) {
  const commands: string[] = [];
  const call = async (name: string, { crawl_id, body }: { crawl_id: string; body?: { command: string } }) => {
    if (name === 'crawl') return { id: crawl_id, status: states.shift() ?? 'done', link_status: 'live' };
    commands.push(`${crawl_id} ${body?.command}`);
    if (error !== null) throw error;
    return null;
  };
  const client = { call } as unknown as ServiceClient;
  return { own: new Unarchiver(client, most, waitMs, new AbortController().signal), commands };
}

test('a crawl is restored once, and a live one is not requested', async () => {
  const { own, commands } = unarchiver(['archived']);
  const [first, second] = [own.restore('c1', 'unarchive', false), own.restore('c1', 'unarchive', false)];
  await Promise.all([first, second, own.idle('c1'), own.idle('c2')]);
  await own.restore('c1', 'unarchive-fast', true);
  expect(commands).toEqual(['c1 unarchive']);
});

test('a run restores a limited number of crawls', async () => {
  const { own } = unarchiver([], { most: 1 });
  await own.restore('c1', 'unarchive', false);
  expect(() => own.restore('c2', 'unarchive', false)).toThrow('this run has already restored 1');
  await own.restore('c1', 'unarchive', true);
});

test('a crawl that is not restored in time is an error', async () => {
  const { own } = unarchiver(['unarchiving', 'unarchiving', 'unarchiving'], { waitMs: 5 });
  await expect(own.restore('c1', 'unarchive', false)).rejects.toMatchObject({
    code: 'timed_out',
    message: expect.stringContaining('the crawl c1 is still unarchiving'),
  });
});

test('a missing scope forbids every crawl, a missing right only one', async () => {
  const forbidden = (code: string) =>
    new CrawlhouseError('forbidden', 'no', { cause: { type: 'forbidden', code, message: 'no' } });
  const all = unarchiver(['archived', 'archived'], { error: forbidden('missing_scope') });
  const refused = {
    code: 'unarchive_forbidden',
    message: expect.stringContaining('the token lacks the right'),
  };
  await expect(all.own.restore('c1', 'unarchive', false)).rejects.toMatchObject(refused);
  expect(() => all.own.restore('c2', 'unarchive', false)).toThrow('the token lacks the right');
  const one = unarchiver(['archived', 'archived', 'done'], { most: 1, error: forbidden('other') });
  await expect(one.own.restore('c1', 'unarchive', false)).rejects.toMatchObject(refused);
  await expect(one.own.restore('c2', 'unarchive', false)).rejects.toMatchObject(refused);
  expect(one.commands).toEqual(['c1 unarchive', 'c2 unarchive']);
  const other = unarchiver(['archived'], { error: new Error('down') });
  await expect(other.own.restore('c1', 'unarchive', false)).rejects.toThrow('down');
});
