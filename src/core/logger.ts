import { stringifyJson } from './json.ts';
import { redact } from './redact.ts';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';
export type LogFields = Readonly<Record<string, unknown>>;

const RANK: Readonly<Record<LogLevel, number>> = { error: 0, warn: 1, info: 2, debug: 3 };

/** A scoped logger: static messages plus fields, one line each, secrets masked by value. */
export interface Logger {
  error(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
  /** The same logger with more fields on every line. */
  with(scope: LogFields): Logger;
}

/** Writes lines of at least `level` through `write`; without a writer nothing is said. */
export function createLogger(
  level: LogLevel,
  write: (line: string) => void,
  now: () => Date = () => new Date(),
  scope: LogFields = {},
): Logger {
  const log = (at: LogLevel, message: string, fields: LogFields = {}): void => {
    if (RANK[at] > RANK[level]) return;
    const pairs = Object.entries({ ...scope, ...fields })
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => `${key}=${plain(value)}`);
    write(redact([now().toISOString(), at.padEnd(5), message, ...pairs].join(' ')));
  };
  return {
    error: (message, fields) => log('error', message, fields),
    warn: (message, fields) => log('warn', message, fields),
    info: (message, fields) => log('info', message, fields),
    debug: (message, fields) => log('debug', message, fields),
    with: (more) => createLogger(level, write, now, { ...scope, ...more }),
  };
}

export const silentLogger: Logger = createLogger('error', () => {});

function plain(value: unknown): string {
  const text = typeof value === 'string' ? value : stringifyJson(value);
  return /[\s"=]/.test(text) ? JSON.stringify(text) : text;
}
