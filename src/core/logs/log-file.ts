import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from '../files/private-files.ts';
import { redactTexts } from '../secrets/redact.ts';
import { parseJson, stringifyJson } from '../text/json.ts';
import { visible } from '../text/visible.ts';
import type { LogRecord, LogSink } from './logger.ts';

export interface LogFileOptions {
  /** The folder of the files; created if missing. */
  readonly folder: string;
  /** After this size, the next file of the day is started. */
  readonly maxBytes: number;
  /** Files whose last line is older are removed when a log is opened, and when a file is started. */
  readonly maxDays: number;
  /** The number of newest files to keep, whatever their age. */
  readonly maxFiles: number;
  /** Called when writing begins to fail, and again only after it has worked. */
  readonly onFailure: (error: unknown) => void;
}

const NAME = /^(\d{4}-\d{2}-\d{2})(?:\.(\d+))?\.jsonl$/;

/**
 * Appends each record to a file of its day, `2026-11-21.jsonl`, as one line of JSON. One call writes a line, so several
 * processes may write, and a killed process leaves only complete lines. If a full disk has truncated the last line, it
 * is ended first. A log that cannot be written does not stop the command.
 */
export function logFile(options: LogFileOptions, now: () => Date = () => new Date()): LogSink {
  const { folder, onFailure } = options;
  let isOpen = false;
  let fails = false;
  const attempt = (work: () => void): void => {
    try {
      if (!isOpen) open(options, now());
      isOpen = true;
      work();
      fails = false;
    } catch (error) {
      if (fails) return;
      // The listener may write to this log.
      fails = true;
      onFailure(error);
    }
  };
  attempt(() => {});
  return (record) =>
    attempt(() => {
      const path = join(folder, currentName(options, dayOf(record.at)));
      const isNew = !existsSync(path);
      appendFileSync(path, jsonLine(record));
      // A service may run for years without opening its log again.
      if (isNew) removeOld(options, now());
    });
}

function open(options: LogFileOptions, now: Date): void {
  const { folder } = options;
  makePrivateFolder(folder);
  removeOld(options, now);
  const today = join(folder, currentName(options, dayOf(now)));
  if (!endsWithNewline(today)) appendFileSync(today, '\n');
}

/** Formats a record as a line. Secrets are masked in each text before quoting, and control characters are escaped. */
function jsonLine({ at, level, message, fields }: LogRecord): string {
  const line = { time: at.toISOString(), level, message, ...fields };
  // Fields are plain values, or what JSON makes of them.
  return `${visible(stringifyJson(redactTexts(parseJson(stringifyJson(line)))))}\n`;
}

/** Returns the file of a day that has room: the first one, or one with a number. */
function currentName({ folder, maxBytes }: LogFileOptions, day: string): string {
  for (let part = 1; ; part++) {
    const name = part === 1 ? `${day}.jsonl` : `${day}.${part}.jsonl`;
    const size = statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
    if (size < maxBytes) return name;
  }
}

function removeOld({ folder, maxDays, maxFiles }: LogFileOptions, now: Date): void {
  const files = readdirSync(folder)
    .filter((name) => NAME.test(name))
    .map((name) => ({ path: join(folder, name), time: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.time - a.time);
  const oldest = now.getTime() - maxDays * 86_400_000;
  for (const [index, { path, time }] of files.entries())
    if (index >= maxFiles || time < oldest) rmSync(path, { force: true });
}

function endsWithNewline(path: string): boolean {
  if (!existsSync(path)) return true;
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    if (size === 0) return true;
    const last = Buffer.alloc(1);
    readSync(file, last, 0, 1, size - 1);
    return last.toString() === '\n';
  } finally {
    closeSync(file);
  }
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
