import { redact } from '../secrets/redact.ts';
import { stringifyJson } from '../text/json.ts';
import { visibleLine } from '../text/visible.ts';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';
type LogFields = Readonly<Record<string, unknown>>;

const RANK: Readonly<Record<LogLevel, number>> = { error: 0, warn: 1, info: 2, debug: 3 };

/** A scoped logger: static messages plus fields, one line each, secrets masked by value. */
export interface Logger extends Readonly<Record<LogLevel, (message: string, fields?: LogFields) => void>> {
  /** A logger that adds these fields to every line. */
  with(scope: LogFields): Logger;
}

export interface LogRecord {
  readonly at: Date;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

/** Receives each record, of any level. */
export type LogSink = (record: LogRecord) => void;

/** Writes lines of at least `level` through `write`; stacks only if `level` is `debug`. */
export function createLogger(
  level: LogLevel,
  write: (line: string) => void,
  now: () => Date = () => new Date(),
): Logger {
  return sinkLogger(({ at, level: own, message, fields }) => {
    if (RANK[own] > RANK[level]) return;
    const pairs = Object.entries(fields)
      .filter(([key, value]) => value !== undefined && (key !== 'stack' || level === 'debug'))
      .map(([key, value]) => `${key}=${plain(value)}`);
    write(visibleLine(redact([at.toISOString(), own.padEnd(5), message, ...pairs].join(' '))));
  }, now);
}

/** Returns a logger that also sends records of at least `level` to `sink`. */
export function withSink(logger: Logger, level: LogLevel, sink: LogSink): Logger {
  const own = sinkLogger((record) => {
    if (RANK[record.level] <= RANK[level]) sink(record);
  });
  return both(logger, own);
}

function sinkLogger(sink: LogSink, now: () => Date = () => new Date(), scope: LogFields = {}): Logger {
  return loggerOf(
    (level) =>
      (message, fields = {}) =>
        sink({ at: now(), level, message, fields: { ...scope, ...fields } }),
    (more) => sinkLogger(sink, now, { ...scope, ...more }),
  );
}

function both(logger: Logger, other: Logger): Logger {
  return loggerOf(
    (level) => (message, fields) => {
      logger[level](message, fields);
      other[level](message, fields);
    },
    (scope) => both(logger.with(scope), other.with(scope)),
  );
}

function loggerOf(log: (level: LogLevel) => Logger['info'], scoped: Logger['with']): Logger {
  return { error: log('error'), warn: log('warn'), info: log('info'), debug: log('debug'), with: scoped };
}

export const silentLogger: Logger = createLogger('error', () => {});

function plain(value: unknown): string {
  const text = typeof value === 'string' ? value : stringifyJson(value);
  return /[\s"=]/.test(text) ? JSON.stringify(text) : text;
}
