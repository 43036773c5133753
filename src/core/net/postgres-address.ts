import { resolve } from 'node:path';
import { z } from 'zod';
import { CrawlhouseError } from '../errors/errors.ts';

const PORT = 5432;
const SCHEMA = 'crawlhouse';
/** A plain connection to these hosts stays on this machine. */
const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
const PARAMETERS = ['project', 'schema', 'sslmode', 'sslrootcert'] as const;
/** PostgreSQL truncates longer names. */
const LONGEST_NAME = 63;

/** The address of a shared ledger. */
export interface PostgresAddress {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** Undefined: the password of `PGPASSWORD` or of `~/.pgpass`. */
  readonly password: string | undefined;
  readonly schema: string;
  /** Several projects may share one schema. */
  readonly project: string;
  readonly tls: boolean;
  /** A file with the certificate of a private authority. */
  readonly authority: string | undefined;
}

/** The setting `ledger`. */
export const PostgresUrl = z.string().superRefine((text, context) => {
  const problem = problemOf(text);
  if (problem !== null) context.addIssue({ code: 'custom', message: problem });
});

/**
 * Parses `postgres://USER:PASSWORD@HOST:PORT/DATABASE?project=NAME&schema=NAME&sslmode=verify-full&sslrootcert=FILE`.
 *
 * @param folder the project folder, where relative paths start
 * @throws CrawlhouseError `bad_settings`
 */
export function postgresAddress(text: string, folder: string): PostgresAddress {
  const url = URL.parse(text);
  const problem = problemOf(text);
  if (url === null || problem !== null) throw new CrawlhouseError('bad_settings', `ledger: ${problem}`);
  const { searchParams } = url;
  const given = (name: (typeof PARAMETERS)[number]): string | undefined =>
    searchParams.get(name) || undefined;
  const authority = given('sslrootcert');
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || PORT,
    database: decodeURIComponent(url.pathname.slice(1)),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password) || undefined,
    schema: given('schema') ?? SCHEMA,
    project: given('project') ?? '',
    tls: (given('sslmode') ?? (LOOPBACK.includes(url.hostname) ? 'disable' : 'verify-full')) !== 'disable',
    authority: authority === undefined ? undefined : resolve(folder, authority),
  };
}

/** Returns the problem, without parts of the value: it contains a password. */
function problemOf(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol) || url.hostname === '')
    return 'postgres://USER:PASSWORD@HOST:PORT/DATABASE?project=NAME is expected';
  if (url.username === '') return 'the address has no user';
  if (url.pathname.length < 2) return 'the address has no database';
  if (![url.username, url.password, url.pathname].every(isEncoded))
    return 'write % as %25 in the user, the password and the database';
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.some((known) => known === name));
  if (unknown !== undefined) return `unknown parameter; known parameters: ${PARAMETERS.join(', ')}`;
  const project = url.searchParams.get('project') ?? '';
  if (project === '') return 'the address has no project: add ?project=NAME, the same on every machine';
  if (Buffer.byteLength(url.searchParams.get('schema') ?? '') > LONGEST_NAME)
    return `the schema has a name of more than ${LONGEST_NAME} bytes`;
  const mode = url.searchParams.get('sslmode') ?? 'disable';
  return ['disable', 'verify-full'].includes(mode) ? null : 'sslmode is verify-full or disable';
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    // Not percent-encoding: the caller reports it.
    return false;
  }
}
