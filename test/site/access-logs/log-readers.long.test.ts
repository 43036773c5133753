import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ServiceRows } from '../../../src/service/rows/service-rows.ts';
import { addLogsIn } from '../../support/add-logs.ts';
import { unpackedPackage } from '../../support/debian-packages.ts';
import { logRequests } from '../../support/log-requests.ts';
import { LOG_WRITERS, type LogWriter } from '../../support/log-writers.ts';
import { roundSeed } from '../../support/random.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const READER = join(import.meta.dirname, '../../support/read-log.py');
const GENERATED = 220;
const NAMES = Object.keys(LOG_WRITERS);
const run = promisify(execFile);

interface Hits {
  readonly url: string;
  readonly status: number | null;
  readonly day: string;
  readonly hits: number;
}

/** What our reader made of the log of a format. */
const found = new Map<string, Awaited<ReturnType<typeof read>>>();

/** A log of a format, and what our reader makes of it. */
async function read(name: string) {
  const { write, format, isTold } = LOG_WRITERS[name] as LogWriter;
  const folder = await temporaryFolder();
  const path = join(folder, 'access.log');
  const log = Buffer.from(write(logRequests(GENERATED, roundSeed())), 'latin1');
  await writeFile(path, log);
  const files = await addLogsIn(folder, [path], isTold ? { format } : {});
  return { log, files, hits: await hitsIn(folder) };
}

async function readOnce(name: string) {
  const known = found.get(name) ?? (await read(name));
  found.set(name, known);
  return known;
}

async function hitsIn(folder: string): Promise<Hits[]> {
  await using rows = await ServiceRows.open(folder);
  return rows.use(async (connection) => {
    const find = (kind: string): Promise<unknown> =>
      connection.scalar(
        `SELECT table_name FROM duckdb_tables() WHERE starts_with(table_name, 'log_${kind}_')`,
      );
    const [lines, origins] = [String(await find('lines')), String(await find('origins'))];
    const sql = `SELECT origin.origin || line.path AS url, line.status AS status, CAST(line.day AS VARCHAR) AS day, CAST(count(*) AS INTEGER) AS hits
      FROM ${ServiceRows.table(lines)} AS line JOIN ${ServiceRows.table(origins)} AS origin ON origin.id = line.origin GROUP BY ALL`;
    return (await connection.jsonRows(sql)) as unknown as Hits[];
  });
}

const textOf = ({ url, status, day, hits }: Hits): string => `${day} ${status} ${url} ${hits}`;

test.for(NAMES)(
  `a log of %s is read like by a reader written from the manuals (seed ${roundSeed()})`,
  async (name) => {
    const { log, files, hits } = await readOnce(name);
    const { format } = LOG_WRITERS[name] as LogWriter;
    expect(files).toMatchObject([{ status: 'added', format, rejected: 0, other_hosts: 0 }]);
    const child = run('python3', [READER, name], { maxBuffer: 1e8 });
    child.child.stdin?.end(log);
    const { stdout, stderr } = await child;
    const other = (JSON.parse(stdout) as [string, number, string, number][]).map(
      ([url, status, day, count]): Hits => ({ url, status, day, hits: count }),
    );
    expect({ stderr, hits: hits.map(textOf).sort() }).toEqual({ stderr: '', hits: other.map(textOf).sort() });
  },
);

/** By URL, decoded once, without scheme and host; by status; by day. */
interface Sums {
  readonly urls: Readonly<Record<string, number>>;
  readonly statuses: Readonly<Record<string, number>>;
  readonly days: Readonly<Record<string, number>>;
}

const ORIGIN = /^https?:\/\/[^/]+/;

/** goaccess decodes a URL, so that `%2F` is a slash: ours is decoded to compare. */
const decoded = (url: string): string =>
  url.replaceAll(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));

/**
 * What goaccess does otherwise: it undoes no escapes of a server, resolves no dots and backslashes, takes the `-` of IIS for a
 * query, and decodes what CloudFront has encoded twice only with its option.
 */
function asOurs(url: string): string {
  const bytes = url
    .replace(/\?-$/, '')
    .replaceAll(/\\(?:x([0-9a-f]{2})|(["\\]))/gi, (_, digits?: string, mark?: string) =>
      digits === undefined ? String(mark) : String.fromCharCode(Number.parseInt(digits, 16)),
    );
  const query = bytes.indexOf('?') < 0 ? bytes.length : bytes.indexOf('?');
  const kept: string[] = [];
  for (const one of bytes.slice(0, query).replaceAll('\\', '/').split('/')) {
    if (one === '..') kept.length = Math.max(1, kept.length - 1);
    else if (one !== '.') kept.push(one);
  }
  return kept.join('/') + bytes.slice(query);
}

function emptySums(): Record<keyof Sums, Record<string, number>> {
  return { urls: {}, statuses: {}, days: {} };
}

function add(sums: Record<string, number>, key: string, hits: number): void {
  sums[key] = (sums[key] ?? 0) + hits;
}

function sumsOf(hits: readonly Hits[]): Sums {
  const { urls, statuses, days } = emptySums();
  for (const one of hits) {
    add(urls, decoded(one.url.replace(ORIGIN, '')), one.hits);
    add(statuses, String(one.status), one.hits);
    add(days, one.day.replaceAll('-', ''), one.hits);
  }
  return { urls, statuses, days };
}

interface Panel {
  readonly data: readonly {
    readonly data: string;
    readonly hits: { readonly count: number };
    readonly items?: Panel['data'];
  }[];
}

let unpacked: Promise<readonly string[]> | undefined;

/** goaccess and the library that it needs. */
function packages(): Promise<readonly string[]> {
  unpacked ??= Promise.all(['goaccess', 'libmaxminddb0'].map(unpackedPackage));
  return unpacked;
}

async function goaccess(log: Buffer, options: readonly string[]): Promise<Sums> {
  const [program, library] = await packages();
  const folder = await temporaryFolder();
  const [path, output] = [join(folder, 'access.log'), join(folder, 'found.json')];
  await writeFile(path, log);
  const always = [
    '--no-global-config',
    '--no-progress',
    '--max-items=100000',
    '--http-method=no',
    '--http-protocol=no',
  ];
  await run(join(String(program), 'usr/bin/goaccess'), [path, ...options, ...always, '-o', output], {
    env: { LD_LIBRARY_PATH: join(String(library), 'usr/lib/x86_64-linux-gnu'), TZ: 'UTC', LC_ALL: 'C.UTF-8' },
  });
  const panels = JSON.parse(await readFile(output, 'latin1')) as Record<string, Panel>;
  const { urls, statuses, days } = emptySums();
  for (const panel of ['requests', 'static_requests', 'not_found'])
    for (const { data, hits } of panels[panel]?.data ?? [])
      add(urls, asOurs(data.replace(ORIGIN, '')), hits.count);
  for (const { items = [] } of panels.status_codes?.data ?? [])
    for (const { data, hits } of items) add(statuses, data.slice(0, 3), hits.count);
  for (const { data, hits } of panels.visitors?.data ?? []) add(days, data, hits.count);
  return { urls, statuses, days };
}

test.for(NAMES.filter((name) => LOG_WRITERS[name]?.goaccess !== undefined))(
  `hits of a log of %s equal goaccess by URL, status and day (seed ${roundSeed()})`,
  async (name, { skip }) => {
    await packages().catch((error: Error) => skip(error.message));
    const { log, hits } = await readOnce(name);
    expect(sumsOf(hits)).toEqual(await goaccess(log, LOG_WRITERS[name]?.goaccess ?? []));
  },
);
