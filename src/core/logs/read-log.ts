import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readLines } from '../files/read-lines.ts';
import { jsonOf } from '../text/json.ts';
import type { LogLevel } from './logger.ts';

export interface OwnLogLine {
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Selects the lines of a run, of at least a level. */
export interface LogQuery {
  /** As in the lines: the first characters of its id. */
  readonly run: string;
  /** ISO 8601, UTC; lines without a run count if they are in between. */
  readonly from: string;
  readonly to: string;
  readonly levels: readonly LogLevel[];
  readonly most: number;
}

/** Returns the last lines of a run in the log files of a folder, and the number of its lines. */
export async function readLog(
  folder: string,
  query: LogQuery,
  signal: AbortSignal,
): Promise<{ readonly lines: readonly OwnLogLine[]; readonly total: number }> {
  const lines: OwnLogLine[] = [];
  let total = 0;
  for (const file of filesOf(folder, query)) {
    for await (const { line } of readLines(file)) {
      signal.throwIfAborted();
      const found = lineOf(line, query);
      if (found === null) continue;
      total++;
      lines.push(found);
      if (lines.length > query.most) lines.shift();
    }
  }
  return { lines, total };
}

/** Returns the files of the days in between, in the order of their lines. */
function filesOf(folder: string, { from, to }: LogQuery): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .flatMap((name) => {
      const [, day, part] = /^(\d{4}-\d{2}-\d{2})(?:\.(\d+))?\.jsonl$/.exec(name) ?? [];
      return day === undefined ? [] : [{ name, day, part: Number(part ?? 1) }];
    })
    .filter(({ day }) => day >= from.slice(0, 10) && day <= to.slice(0, 10))
    .sort((a, b) => a.day.localeCompare(b.day) || a.part - b.part)
    .map(({ name }) => join(folder, name));
}

function lineOf(text: string, { run, from, to, levels }: LogQuery): OwnLogLine | null {
  const record = jsonOf(text) as Record<string, unknown> | undefined;
  // A kill has cut the line.
  if (record === undefined) return null;
  const { time, level, message, run: own, ...fields } = record;
  if (own === undefined ? String(time) < from || String(time) > to : own !== run) return null;
  if (!levels.includes(level as LogLevel)) return null;
  return { time: String(time), level: level as LogLevel, message: String(message), fields };
}
