import { readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { logFile } from '../../../src/core/logs/log-file.ts';
import { silentLogger, withSink } from '../../../src/core/logs/logger.ts';
import { keepSecret } from '../../../src/core/secrets/redact.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const DAY = new Date('2026-11-21T06:00:00Z');
const options = async (more = {}) => ({
  folder: join(await temporaryFolder(), 'logs'),
  maxBytes: 1000,
  maxDays: 30,
  maxFiles: 50,
  onFailure: (error: unknown): void => {
    throw error;
  },
  ...more,
});
const linesOf = (folder: string): Record<string, unknown>[] =>
  readdirSync(folder)
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'))
    .map((line) => JSON.parse(line));

test('each record is one JSON line with its scope, also if the terminal shows nothing', async () => {
  const one = await options();
  const logger = withSink(silentLogger, 'info', logFile(one))
    .with({ run: 'r1' })
    .with({ unit: 'u', stage: 'load' });
  logger.info('unit loaded', { rows: 3n, none: undefined });
  logger.debug('too much');
  expect(linesOf(one.folder)).toEqual([
    {
      time: expect.stringMatching(/Z$/),
      level: 'info',
      message: 'unit loaded',
      run: 'r1',
      unit: 'u',
      stage: 'load',
      rows: 3,
    },
  ]);
});

test('secrets are masked in the log, also if JSON escapes them', async () => {
  const one = await options();
  keepSecret('pass"word\\1');
  logFile(one)({
    at: DAY,
    level: 'warn',
    message: 'no pass"word\\1',
    fields: { error: 'with pass"word\\1' },
  });
  expect(linesOf(one.folder)).toMatchObject([{ message: 'no [redacted]', error: 'with [redacted]' }]);
});

test('a full log file is followed by another of the same day; old files are removed', async () => {
  const one = await options({ maxBytes: 150, maxFiles: 3 });
  const sink = logFile(one, () => DAY);
  for (let n = 0; n < 6; n++) sink({ at: DAY, level: 'info', message: 'x'.repeat(60), fields: { n } });
  expect(readdirSync(one.folder).sort()).toEqual([
    '2026-11-21.2.jsonl',
    '2026-11-21.3.jsonl',
    '2026-11-21.jsonl',
  ]);
  expect(linesOf(one.folder)).toHaveLength(6);
  const old = join(one.folder, '2026-09-01.jsonl');
  writeFileSync(old, '{}\n');
  writeFileSync(join(one.folder, 'mine.txt'), 'stays');
  utimesSync(old, 0, 0);
  logFile(one, () => DAY);
  expect(readdirSync(one.folder).sort()).toEqual([
    '2026-11-21.2.jsonl',
    '2026-11-21.3.jsonl',
    '2026-11-21.jsonl',
    'mine.txt',
  ]);
});

test('an open log removes old files whenever it starts a new file', async () => {
  const one = await options({ maxBytes: 150, maxFiles: 3 });
  let today = DAY;
  const sink = logFile(one, () => today);
  const say = (): void => sink({ at: today, level: 'info', message: 'x'.repeat(160), fields: {} });
  const names = (): string[] => readdirSync(one.folder).sort();
  for (let file = 1; file <= 5; file++) say();
  expect(names()).toHaveLength(3);
  for (const name of names()) utimesSync(join(one.folder, name), 0, 0);
  today = new Date(DAY.getTime() + 86_400_000);
  say();
  expect(names()).toEqual(['2026-11-22.jsonl']);
});

test('a truncated line is ended before the next one', async () => {
  const one = await options();
  logFile(one, () => DAY);
  writeFileSync(join(one.folder, '2026-11-21.jsonl'), '{"time":"2026');
  logFile(one, () => DAY)({ at: DAY, level: 'info', message: 'whole', fields: {} });
  const lines = readFileSync(join(one.folder, '2026-11-21.jsonl'), 'utf8').split('\n');
  expect(lines).toHaveLength(3);
  expect(JSON.parse(String(lines[1]))).toMatchObject({ message: 'whole' });
});

test('a log that cannot be written stops nothing, reports once, and resumes when possible', async () => {
  const folder = join(await temporaryFolder(), 'file');
  writeFileSync(folder, '');
  const errors: unknown[] = [];
  const sink = logFile(await options({ folder, onFailure: (error: unknown) => errors.push(error) }));
  const say = (message: string): void => sink({ at: DAY, level: 'info', message, fields: {} });
  say('lost');
  const cause = expect.objectContaining({ code: 'EEXIST', path: folder });
  expect(errors).toEqual([expect.objectContaining({ code: 'bad_project', cause })]);
  rmSync(folder);
  say('kept');
  expect(linesOf(folder)).toMatchObject([{ message: 'kept' }]);
  rmSync(folder, { recursive: true });
  say('lost');
  expect(errors).toHaveLength(2);
});

test('the listener for log failures may itself write to the log', async () => {
  const folder = join(await temporaryFolder(), 'logs');
  const errors: unknown[] = [];
  const onFailure = (error: unknown): void => {
    errors.push(error);
    say();
  };
  const sink = logFile(await options({ folder, onFailure }));
  const say = (): void => sink({ at: DAY, level: 'warn', message: 'the log is not written', fields: {} });
  rmSync(folder, { recursive: true });
  say();
  expect(errors).toHaveLength(1);
});
