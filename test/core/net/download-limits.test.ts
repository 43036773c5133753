import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { atLeastAtRate, DEFAULT_LIMITS, mostContent } from '../../../src/core/net/download-limits.ts';
import { bytesOf } from '../../../src/core/text/amounts.ts';

async function* drip(pieces: number, everyMs: number, size: number): AsyncGenerator<Buffer> {
  for (let piece = 0; piece < pieces; piece++) {
    await sleep(everyMs);
    yield Buffer.alloc(size);
  }
}

test('a slow body fails after the wait limit, and the error names the setting', async () => {
  const read = Array.fromAsync(atLeastAtRate(drip(100, 10, 1), 'the export', { rate: 1000 }, 50));
  await expect(read).rejects.toMatchObject({
    code: 'connection',
    message: expect.stringMatching(/^the export: only \d bytes arrived in 0 s, .*\(limits\.rate\)$/),
  });
});

test('a body that is fast enough is read to its end', async () => {
  const pieces = await Array.fromAsync(atLeastAtRate(drip(20, 5, 1000), 'x', { rate: 1000 }, 20));
  expect(pieces).toHaveLength(20);
});

test('time without a pending read does not count as waiting', async () => {
  let pieces = 0;
  for await (const _piece of atLeastAtRate(drip(5, 0, 1), 'x', { rate: 1000 }, 60)) {
    pieces++;
    await sleep(30);
  }
  expect(pieces).toBe(5);
});

test('content is limited per row, but 64 MB are always allowed', () => {
  expect(mostContent(3, DEFAULT_LIMITS)).toBe(64e6);
  expect(mostContent(1000, DEFAULT_LIMITS)).toBe(1e9);
  // A billion links of 100 kB each would pass.
  expect(mostContent(1e9, DEFAULT_LIMITS)).toBe(1e15);
});

test.for([
  ['16MB', 16_000_000],
  ['1.5 kB', 1500],
  ['1GiB', 1_073_741_824],
] as const)('%s is %i bytes', ([size, bytes]) => {
  expect(bytesOf(size)).toBe(bytes);
});
