import { expect, test } from 'vitest';
import { CrawlhouseError } from '../../../src/core/errors/errors.ts';
import { createLogger } from '../../../src/core/logs/logger.ts';
import { reportFault } from '../../../src/core/logs/report-fault.ts';
import { keepSecret } from '../../../src/core/secrets/redact.ts';

const ASKED = { door: 'console', path: '/projects' };

test('a fault is logged with its causes under the identifier in the response', () => {
  const lines: string[] = [];
  keepSecret('very-secret-token');
  const cause = new TypeError('no such file', { cause: new Error('disk sda said very-secret-token') });
  const logger = createLogger('error', (line) => lines.push(line));
  const shown = reportFault(new Error('it failed', { cause }), logger, ASKED);
  expect(shown).toMatchObject({ code: 'internal', message: 'it failed' });
  const [, id] = /; the log has its cause: error_id ([0-9a-f]{8})$/.exec(shown.hint ?? '') ?? [];
  expect(lines).toHaveLength(1);
  for (const part of [
    `error_id=${id}`,
    'door=console',
    'path=/projects',
    'TypeError: no such file',
    'disk sda',
  ])
    expect(lines[0]).toContain(part);
  expect(lines[0]).not.toContain('very-secret-token');
});

test('an error that the client can fix is not logged, and a fault keeps its own hint', () => {
  const lines: string[] = [];
  const logger = createLogger('debug', (line) => lines.push(line));
  const theirs = new CrawlhouseError('bad_query', 'no such column', { hint: 'DESCRIBE mart.pages' });
  expect(reportFault(theirs, logger, ASKED)).toBe(theirs);
  expect(reportFault(new DOMException('gone', 'AbortError'), logger, ASKED).code).toBe('interrupted');
  expect(lines).toEqual([]);
  const full = Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
  expect(reportFault(full, logger, ASKED).hint).toMatch(
    /^free some space, then run again; the log .* error_id [0-9a-f]{8}$/,
  );
});
