import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { host, withHost } from '../../../src/core/host/host.ts';
import {
  atLeastAtRate,
  DEFAULT_LIMITS,
  longestDownload,
  mostContent,
  readText,
} from '../../../src/core/net/download-limits.ts';

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

test('the time limit of a download grows with its rows', () => {
  expect(longestDownload(0, DEFAULT_LIMITS)).toBe(600_000);
  expect(longestDownload(1200, DEFAULT_LIMITS)).toBe(660_000);
});

test('each minute of waiting is measured separately, and a body may have exactly the least rate', async () => {
  let now = 0;
  let isClosed = false;
  async function* pieces(): AsyncGenerator<Buffer> {
    try {
      for (const size of [1000, 1000, 0, 600, 300, 299]) {
        now += 30_000;
        yield Buffer.alloc(size);
      }
    } finally {
      isClosed = true;
    }
  }
  const read: number[] = [];
  const reading = withHost({ ...host(), monotonic: () => now }, async () => {
    for await (const { length } of atLeastAtRate(pieces(), 'x', { rate: 10 })) read.push(length);
  });
  await expect(reading).rejects.toThrow('x: only 599 bytes arrived in 60 s, less than 10 B a second');
  expect([read, isClosed]).toEqual([[1000, 1000, 0, 600, 300], true]);
});

test('a text up to the limit is read, also if a piece ends within a character', async () => {
  async function* bytes(): AsyncGenerator<Buffer> {
    const whole = Buffer.from('añb');
    yield whole.subarray(0, 2);
    yield whole.subarray(2);
  }
  expect([await readText(bytes(), 4), await readText(bytes(), 3)]).toEqual(['añb', null]);
});
