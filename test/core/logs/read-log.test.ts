import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LogLevel } from '../../../src/core/logs/logger.ts';
import { readLog } from '../../../src/core/logs/read-log.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const QUERY = {
  run: 'r1',
  from: '2026-03-02T00:00:00Z',
  to: '2026-03-03T23:59:59Z',
  levels: ['info', 'error'] as LogLevel[],
  most: 10,
};
const signal = new AbortController().signal;
const line = (time: string, message: string, more: object = {}) =>
  `${JSON.stringify({ time, level: 'info', message, run: 'r1', ...more })}\n`;

async function messages(files: Readonly<Record<string, string>>, more: Partial<typeof QUERY> = {}) {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const { lines, total } = await readLog(folder, { ...QUERY, ...more }, signal);
  return [lines.map(({ message }) => message).join(), total];
}

test('the lines of a run come from the files of its days, in their order', async () => {
  const files = {
    '2026-03-01.jsonl': line('2026-03-01T00:00:00Z', 'early'),
    '2026-03-02.2.jsonl': line('2026-03-02T02:00:00Z', 'b'),
    '2026-03-02.10.jsonl': line('2026-03-02T03:00:00Z', 'c'),
    '2026-03-02.jsonl': line('2026-03-02T01:00:00Z', 'a'),
    '2026-03-03.jsonl': line('2026-03-03T01:00:00Z', 'd'),
    '2026-03-04.jsonl': line('2026-03-04T01:00:00Z', 'late'),
    'other.jsonl': line('2026-03-02T01:00:00Z', 'other'),
  };
  expect(await messages(files)).toEqual(['a,b,c,d', 4]);
  expect(await messages(files, { most: 2 })).toEqual(['c,d', 4]);
});

test('a line counts by its run, or by its time without one, and by its level', async () => {
  const none = { run: undefined };
  const text = [
    line('2026-03-02T01:00:00Z', 'own'),
    line('2026-03-02T01:00:00Z', 'other', { run: 'r2' }),
    line('2026-03-01T23:59:59Z', 'before', none),
    line(QUERY.from, 'first', none),
    line(QUERY.to, 'last', none),
    line('2026-03-04T00:00:00Z', 'after', none),
    line('2026-03-02T01:00:00Z', 'debug', { level: 'debug' }),
    '{"time":"2026',
  ].join('');
  expect(await messages({ '2026-03-02.jsonl': text })).toEqual(['own,first,last', 3]);
});

test('a line has its fields, and a folder that does not exist has no lines', async () => {
  const folder = await temporaryFolder();
  writeFileSync(join(folder, '2026-03-02.jsonl'), line('2026-03-02T01:00:00Z', 'a', { unit: 'u' }));
  expect((await readLog(folder, QUERY, signal)).lines).toEqual([
    { time: '2026-03-02T01:00:00Z', level: 'info', message: 'a', fields: { unit: 'u' } },
  ]);
  expect(await readLog(join(folder, 'none'), QUERY, signal)).toEqual({ lines: [], total: 0 });
  await expect(readLog(folder, QUERY, AbortSignal.abort())).rejects.toThrow();
});
