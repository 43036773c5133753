import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CrawlhouseError } from './errors.ts';

export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  readonly command: string;
  readonly since: string;
}

/**
 * Takes the one writer's lock of a state directory, or says who holds it. It is SQLite's own file lock, so the system
 * releases it however the holder ends.
 *
 * @throws CrawlhouseError `locked`
 */
export function lockState(stateDir: string, command: string): Disposable {
  mkdirSync(stateDir, { recursive: true });
  const holderFile = join(stateDir, 'lock.json');
  const database = new DatabaseSync(join(stateDir, 'lock.sqlite'));
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (cause) {
    database.close();
    const holder = readHolder(holderFile);
    const who = holder
      ? `${holder.command} (process ${holder.pid} on ${holder.host}, since ${holder.since})`
      : 'another process';
    throw new CrawlhouseError('locked', `${stateDir} is in use by ${who}`, {
      cause,
      hint: 'wait for it to end, or stop that process; reading (status, query) works meanwhile',
    });
  }
  const holder: LockHolder = { pid: process.pid, host: hostname(), command, since: new Date().toISOString() };
  writeFileSync(holderFile, JSON.stringify(holder));
  return {
    [Symbol.dispose]() {
      database.exec('ROLLBACK');
      database.close();
    },
  };
}

function readHolder(file: string): LockHolder | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as LockHolder;
  } catch {
    return undefined;
  }
}
