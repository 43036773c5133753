import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, randomUUID } from 'node:crypto';
import * as blocking from 'node:fs';
import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import * as waiting from 'node:fs/promises';
import { hostname } from 'node:os';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolConfig } from 'pg';
import type { Dispatcher } from 'undici';

/** The functions of `node:fs` and `node:fs/promises` that durable code uses, under Node's own names. */
export type HostFiles = Pick<
  typeof waiting,
  | 'chmod'
  | 'copyFile'
  | 'link'
  | 'lstat'
  | 'open'
  | 'readFile'
  | 'readdir'
  | 'rename'
  | 'rm'
  | 'stat'
  | 'writeFile'
> &
  Pick<
    typeof blocking,
    | 'chmodSync'
    | 'createReadStream'
    | 'createWriteStream'
    | 'existsSync'
    | 'lstatSync'
    | 'mkdirSync'
    | 'readFileSync'
    | 'realpathSync'
    | 'renameSync'
    | 'rmSync'
    | 'statSync'
    | 'truncateSync'
    | 'writeFileSync'
  >;

/** A timer that stops when it is disposed. */
export interface Timer extends Disposable {
  /** Restarts the timer. */
  refresh(): void;
}

/** The resources of a process: clock, randomness, files, names, and connections. */
export interface Host {
  readonly pid: number;
  readonly hostname: string;
  /** The system of the process ids (`processScope`). */
  readonly processScope: () => string;
  readonly processStart: typeof processStart;
  /** UTC milliseconds. */
  readonly now: () => number;
  /** Milliseconds since some moment; this clock is never set. */
  readonly monotonic: () => number;
  /** From 0 to less than 1. */
  readonly random: () => number;
  uuid(): string;
  /** @throws the reason of `signal`, like `node:timers/promises` */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Calls `work` once, after a time. */
  after(ms: number, work: () => void): Timer;
  /** Calls `work` repeatedly. It keeps no process alive. */
  every(ms: number, work: () => void): Disposable;
  readonly files: HostFiles;
  /** Absent: the libraries' own connections, and SQLite's own files. */
  readonly http?: Dispatcher;
  readonly postgres?: (config: PoolConfig) => Pool;
  readonly sqlite?: (path: string) => DatabaseSync;
  readonly bucket?: <Store>(settings: { readonly bucket: string }) => Promise<Store>;
}

const NODE: Host = {
  pid: process.pid,
  hostname: hostname(),
  processScope,
  processStart,
  now: () => Date.now(),
  monotonic: () => performance.now(),
  random: () => Math.random(),
  uuid: () => randomUUID(),
  sleep: (ms, signal) => sleep(ms, undefined, signal ? { signal } : {}),
  after(ms, work) {
    const timer = setTimeout(work, ms);
    return { refresh: () => void timer.refresh(), [Symbol.dispose]: () => clearTimeout(timer) };
  },
  every(ms, work) {
    const timer = setInterval(work, ms).unref();
    return { [Symbol.dispose]: () => clearInterval(timer) };
  },
  files: { ...blocking, ...waiting },
};

const CURRENT = new AsyncLocalStorage<Host>();

/** Returns the host of the calling work: Node's own, unless `withHost` provides another. */
export function host(): Host {
  return CURRENT.getStore() ?? NODE;
}

/** Runs `work`, and everything it starts, on another host, so that several simulated processes share one of Node's. */
export function withHost<T>(other: Host, work: () => T): T {
  return CURRENT.run(other, work);
}

/** Returns the current time: ISO 8601, UTC. */
export function timestamp(): string {
  return new Date(host().now()).toISOString();
}

/**
 * Returns the start of a process, in ticks since the machine's start, which distinguishes the process from a later one
 * with the same id. Returns null if there is no such process.
 *
 * @returns undefined on systems without `/proc`
 */
export function processStart(pid: number): string | null | undefined {
  if (!existsSync('/proc/self/stat')) return undefined;
  try {
    // The program's name is second, in parentheses, and may contain any character; the start is the 22nd field.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    // No process has this id any more.
    return null;
  }
}

let scope: string | undefined;

/**
 * Returns an identifier of the processes that share process ids with this one. Processes of other machines or
 * containers may work in the same folder.
 */
export function processScope(): string {
  const told = (read: () => string): string => {
    try {
      return read();
    } catch {
      // Without `/proc`, the name of the machine has to suffice.
      return '';
    }
  };
  scope ??= createHash('sha256')
    .update(hostname())
    .update(told(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')))
    .update(told(() => readlinkSync('/proc/self/ns/pid')))
    .digest('hex')
    .slice(0, 12);
  return scope;
}
