import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text as streamText } from 'node:stream/consumers';
import { type Connection, ident } from '../../src/core/duckdb/duckdb.ts';
import { peakOf } from '../support/peak-memory.ts';
import { crawlhouseProcess, published, rawProjectFolder } from '../support/project.ts';
import { temporaryConnection, temporaryFolder } from '../support/temporary.ts';
import { HostileService } from './hostile-service.ts';
import { LISTS, type ListFault } from './lists.ts';
import { COLUMNS, type Row } from './rows.ts';
import { contentOf, sentRows, type UnitCase, verdictOf } from './unit-case.ts';

/** Crawls of one run, the last of which is always healthy. */
export interface Scene {
  readonly units: readonly UnitCase[];
  readonly lists: ListFault;
  readonly format: 'csv' | 'json';
}

/** Downloads at once: many wait to try again. */
const DOWNLOADS = 12;

/**
 * What the program must keep to in every run, whatever the service does. Memory: `memory_limit` and 300 MB with the two
 * downloads of the default, and the buffers of each further one. The seconds are those of a run that hangs: a loaded
 * machine takes one minute for a scene that takes 20 seconds on an idle one.
 */
const CEILINGS = { peakMb: 700 + 10 * (DOWNLOADS - 2), stateMb: 64, seconds: 600, requestsPerUnit: 60 };

/** Characters of the service's that must not reach a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

interface Report {
  readonly units?: readonly {
    readonly unit: string;
    readonly status: string;
    readonly counts: Readonly<Record<string, number | null>>;
    readonly error: { readonly code: string; readonly message: string } | null;
  }[];
  readonly error?: unknown;
}

/** What the runs gave, counted for the summary, and the most that one of them took. */
export interface Tally {
  loaded: number;
  refused: number;
  failed: number;
  ended: number;
  readonly most: { peakMb: number; stateMb: number; seconds: number; requests: number };
}

/** One project folder and one hostile service; every scene loads the same crawls again. */
export class HostileProject {
  readonly #folder: string;
  readonly #service: HostileService;
  readonly #connection: Connection;
  /** The rows that the warehouse must have, by crawl. */
  readonly #held = new Map<string, readonly Row[]>();
  readonly tally: Tally = {
    loaded: 0,
    refused: 0,
    failed: 0,
    ended: 0,
    most: { peakMb: 0, stateMb: 0, seconds: 0, requests: 0 },
  };

  private constructor(folder: string, service: HostileService, connection: Connection) {
    this.#folder = folder;
    this.#service = service;
    this.#connection = connection;
  }

  static async open(): Promise<HostileProject> {
    return new HostileProject(
      await rawProjectFolder(),
      await HostileService.start(),
      await temporaryConnection(await temporaryFolder()),
    );
  }

  /**
   * Runs a scene and holds the warehouse, the report and the ceilings against it.
   *
   * @throws an error that lists all that did not hold
   */
  async play({ units, lists, format }: Scene): Promise<void> {
    const service = this.#service;
    const cases = new Map(units.map((one, index) => [crawlId(index), one]));
    Object.assign(service, { cases, lists, requests: 0 });
    const startedAt = performance.now();
    const { status, peak, stdout, stderr } = await this.#run(format);
    const seconds = (performance.now() - startedAt) / 1000;
    const report = parsed(stdout);
    const problems = new Problems();
    problems.unless(report !== null, 'stdout holds no JSON document');
    problems.unless(!/^\s+at .+:\d+:\d+\)?$/m.test(stderr), 'stderr shows a stack');
    problems.unless(!CONTROL.test(stderr), 'stderr holds control characters');
    const state = await megabytesIn(join(this.#folder, '.crawlhouse'));
    const { requests } = service;
    problems.unless(peak < CEILINGS.peakMb, `the process took ${peak} MB`);
    problems.unless(seconds < CEILINGS.seconds, `the run took ${seconds} s`);
    problems.unless(
      requests < CEILINGS.requestsPerUnit * (units.length + 2),
      `${requests} requests were sent`,
    );
    problems.unless(state < CEILINGS.stateMb, `the state directory holds ${state} MB`);
    const { most } = this.tally;
    most.peakMb = Math.max(most.peakMb, peak);
    most.stateMb = Math.max(most.stateMb, state);
    most.seconds = Math.max(most.seconds, seconds);
    most.requests = Math.max(most.requests, requests);
    problems.unless(status !== null && status <= 5, `exit code ${status}`);
    problems.unless(LISTS[lists] !== 'never' || status !== 0, `lists ${lists} were believed: exit 0`);
    if (!report?.units?.length) {
      this.tally.ended += 1;
      problems.unless(LISTS[lists] !== 'loads', 'no unit was reported');
    }
    for (const [id, one] of cases) this.#judge(problems, { id, one, format, lists }, report ?? {});
    await this.#compare(problems);
    problems.throwAny(`lists ${lists}, format ${format}, exit ${status}\n${stderr.slice(-2000)}`);
  }

  async #run(format: 'csv' | 'json') {
    const args = ['backfill', 'crawl_pages', '--from', '2000-01-01', '--to', '2100-01-01'];
    const child = crawlhouseProcess(this.#folder, [...args, '--reload', '--format', format, '--json'], {
      CRAWLHOUSE_BASE_URL: this.#service.baseUrl,
      CRAWLHOUSE_ACCESS_TOKEN: 'token-of-the-hostile-suite',
      CRAWLHOUSE_CONCURRENCY: String(DOWNLOADS),
      CRAWLHOUSE_CONCURRENCY_PER_PROJECT: String(DOWNLOADS),
      CRAWLHOUSE_THREADS: '2',
    });
    const [{ status, peak }, stdout, stderr] = await Promise.all([
      peakOf(child),
      streamText(child.stdout),
      streamText(child.stderr),
    ]);
    return { status, peak, stdout, stderr };
  }

  #judge(problems: Problems, { id, one, format, lists }: Judged, report: Report): void {
    const found = report.units?.filter(({ unit }) => unit === `crawl_pages/${id}`) ?? [];
    const verdict = verdictOf(one, format);
    const said = JSON.stringify(found.map(({ status, counts, error }) => ({ status, counts, error })));
    const what = `${describe(one, format)} must be ${verdict}: ${said.slice(0, 600)}`;
    problems.unless(found.length <= 1, `reported twice: ${what}`);
    const [unit] = found;
    if (!unit) {
      problems.unless(LISTS[lists] !== 'loads', `not reported: ${what}`);
      return;
    }
    const loaded = unit.status === 'loaded' || unit.status === 'unchanged';
    if (verdict === 'loads') problems.unless(loaded, what);
    if (verdict === 'never') problems.unless(!loaded, what);
    if (loaded) this.#held.set(id, sentRows(one, format));
    else
      problems.unless(
        unit.error !== null && unit.error.message !== '' && unit.error.code !== 'internal',
        `no error of its own: ${what}`,
      );
    const place = placeOf(one, format);
    if (place !== null && unit.error?.code === 'rejected_values')
      problems.unless(unit.error.message.includes(place), `not at ${place}: ${what}`);
    this.tally[loaded ? 'loaded' : unit.status === 'refused' ? 'refused' : 'failed'] += 1;
  }

  /** Every crawl's rows are those of its last good load, whole. */
  async #compare(problems: Problems): Promise<void> {
    if (!(await this.#hasPages())) {
      problems.unless(this.#held.size === 0, 'nothing was published');
      return;
    }
    const columns = COLUMNS.map(({ name, loaded }) => `${loaded(ident(name))} AS ${ident(name)}`).join(', ');
    const rows = await published(
      this.#connection,
      this.#folder,
      `SELECT _source_id, ${columns} FROM raw.crawl_pages ORDER BY _source_id, url`,
    );
    const found = Map.groupBy(rows, (row) => String(row._source_id));
    for (const id of found.keys()) problems.unless(this.#held.has(id), `rows of ${id}, which never loaded`);
    for (const [id, truth] of this.#held) {
      const want = truth
        .map((row) => COLUMNS.map((_column, index) => row[index]?.loaded ?? null))
        .toSorted((a, b) => Buffer.compare(Buffer.from(String(a[0])), Buffer.from(String(b[0]))));
      const have = (found.get(id) ?? []).map((row) => COLUMNS.map(({ name }) => row[name]));
      const differs = want.findIndex((row, index) => JSON.stringify(row) !== JSON.stringify(have[index]));
      problems.unless(
        have.length === want.length && differs === -1,
        `rows of ${id}: ${have.length} of ${want.length}; ${firstDifference(want[differs], have[differs])}`,
      );
    }
  }

  /** Where the lists ended the first run, there is no table. */
  async #hasPages(): Promise<boolean> {
    if (!existsSync(join(this.#folder, 'warehouse.duckdb'))) return false;
    const tables = `SELECT 1 FROM duckdb_tables() WHERE database_name = 'published' AND table_name = 'crawl_pages'`;
    return (await published(this.#connection, this.#folder, tables)).length > 0;
  }
}

interface Judged {
  readonly id: string;
  readonly one: UnitCase;
  readonly format: 'csv' | 'json';
  readonly lists: ListFault;
}

/** What did not hold in one scene. */
class Problems {
  readonly #found: string[] = [];

  unless(holds: boolean, problem: string): void {
    if (!holds) this.#found.push(problem);
  }

  throwAny(context: string): void {
    if (this.#found.length > 0) throw new Error(`${this.#found.join('\n')}\n${context}`);
  }
}

/** The first cell that differs, from shortly before the place where it does. */
function firstDifference(want: readonly unknown[] = [], have: readonly unknown[] = []): string {
  const index = want.findIndex((cell, place) => cell !== have[place]);
  const [wanted, had] = [JSON.stringify(want[index]), JSON.stringify(have[index])].map(
    (text) => text ?? 'nothing',
  );
  let at = 0;
  while (at < (wanted?.length ?? 0) && wanted?.[at] === had?.[at]) at++;
  const show = (text = ''): string => text.slice(Math.max(0, at - 20), at + 80);
  return `${COLUMNS[index]?.name} at ${at}: ${show(wanted)} came as ${show(had)}`;
}

function crawlId(index: number): string {
  return `c${String(index).padStart(23, '0')}`;
}

function describe(one: UnitCase, format: 'csv' | 'json'): string {
  const { encoding, framing, count, drift, at, rows } = one;
  return JSON.stringify({
    content: contentOf(one, format),
    encoding,
    framing,
    count,
    drift,
    at,
    rows: rows.length,
  });
}

/** Where a rejected value stands, for faults whose place is known. */
function placeOf(one: UnitCase, format: 'csv' | 'json'): string | null {
  // The second description of the title makes its texts rejects, too.
  if (format === 'csv' || one.drift === 'field_twice') return null;
  const line = Math.min(one.rows.length - 1, Math.floor(one.at * one.rows.length)) + 1;
  const content = contentOf(one, format);
  if (content === 'broken_number' || content === 'fraction_in_natural') return `:${line}: clicks`;
  if (content === 'broken_date' || content === 'ambiguous_zone') return `:${line}: fetched`;
  return null;
}

function parsed(stdout: string): Report | null {
  try {
    return JSON.parse(stdout) as Report;
  } catch {
    return null;
  }
}

async function megabytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return bytes / 1e6;
}
