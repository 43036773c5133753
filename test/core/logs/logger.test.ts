import { expect, test } from 'vitest';
import { createLogger, type LogLevel } from '../../../src/core/logs/logger.ts';

function logged(level: LogLevel): string[] {
  const lines: string[] = [];
  const logger = createLogger(
    level,
    (line) => lines.push(line.split(' ').slice(2).join(' ')),
    () => new Date(0),
  );
  logger.error('one');
  logger.warn('two');
  logger.info('three', { unit: 'crawl_pages/1', none: undefined });
  logger.debug('four');
  return lines.map((line) => line.trim());
}

test('a logger prints records at or above its level', () => {
  expect(logged('error')).toEqual(['one']);
  expect(logged('warn').map((line) => line.replace(/^ /, ''))).toEqual(['one', 'two']);
  expect(logged('debug')).toHaveLength(4);
});

test('only --debug prints a stack trace', () => {
  for (const [level, shown] of [
    ['error', 'failed code=internal'],
    ['debug', 'failed code=internal stack="Error: no\\n at a"'],
  ] as const) {
    const lines: string[] = [];
    createLogger(level, (line) => lines.push(line)).error('failed', {
      code: 'internal',
      stack: 'Error: no\n at a',
    });
    expect(lines[0]?.endsWith(` ${shown}`), lines[0]).toBe(true);
  }
});

test('an undefined field is omitted', () => {
  expect(logged('info').at(-1)).toBe('three unit=crawl_pages/1');
});
