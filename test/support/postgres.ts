import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type RealServer, started } from './servers.ts';

const run = promisify(execFile);
/** Debian keeps the programs of each version out of PATH. */
const DEBIAN = '/usr/lib/postgresql';
/** PostgreSQL refuses root: the user and group `nobody`. */
const NOBODY = 65_534;

export interface RealPostgres extends RealServer {
  /** `postgres://…`, of a superuser. */
  readonly url: string;
  /** Runs SQL by psql. */
  readonly execute: (sql: string) => Promise<void>;
}

/** PostgreSQL of the system, on a cluster of its own. */
export async function startPostgres(): Promise<RealPostgres> {
  const programs = postgresFolder();
  const isRoot = process.getuid?.() === 0;
  const as = isRoot ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [];
  const command = (name: string, args: readonly string[]): string[] => [...as, join(programs, name), ...args];
  const [first = '', ...before] = command('postgres', []);
  const server = await started(first, async (port, folder) => {
    const data = join(folder, 'data');
    await mkdir(data);
    if (isRoot) for (const path of [folder, data]) await chown(path, NOBODY, NOBODY);
    const options = ['-U', 'postgres', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C'];
    const [initdb = '', ...args] = command('initdb', ['-D', data, ...options]);
    await run(initdb, args);
    const port_ = String(port);
    return {
      args: [...before, '-D', data, '-h', '127.0.0.1', '-p', port_, '-k', '', '-c', 'fsync=off'],
      environment: {},
      isReady: () =>
        run(join(programs, 'pg_isready'), ['-q', '-h', '127.0.0.1', '-p', port_]).then(
          () => true,
          () => false,
        ),
      // It does not wait for its clients.
      endBy: 'SIGINT',
      // Its own processes end with it.
      crashBy: 'SIGQUIT',
    };
  });
  const url = `postgres://postgres@127.0.0.1:${server.port}/postgres`;
  const execute = async (sql: string): Promise<void> => {
    await run(join(programs, 'psql'), ['-q', '-v', 'ON_ERROR_STOP=1', '-d', url, '-c', sql]);
  };
  return { ...server, url, execute };
}

/** Whether the system has it. */
export function hasPostgres(): boolean {
  return folderOfPostgres() !== undefined;
}

function postgresFolder(): string {
  const found = folderOfPostgres();
  if (found !== undefined) return found;
  throw new Error('PostgreSQL is missing: install it (Debian: apt-get install postgresql)');
}

function folderOfPostgres(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((one) => join(DEBIAN, one, 'bin')),
    ...(process.env.PATH ?? '').split(':'),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')));
}
