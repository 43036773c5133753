import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { Decision } from './decisions.ts';
import type { SimProcess } from './sim-process.ts';
import { translatePostgres } from './translate-postgres.ts';
import type { World } from './world.ts';

export type Answer = { readonly rows: Record<string, unknown>[] };

/** What the server was asked, and how it answered; `test/integration/sim-postgres.test.ts` asks a real one the same. */
export interface LoggedStatement {
  /** The connection. */
  readonly session: number;
  readonly sql: string;
  readonly values: readonly unknown[];
  /** Null where it failed. */
  readonly rows: readonly Record<string, unknown>[] | null;
  /** The server's clock, in milliseconds since 1970. */
  readonly at: number;
  /** What `gen_random_uuid` gave, in its order. */
  readonly uuids: readonly string[];
}

/** As the product asks for it. */
/** In the log: the end of a connection. */
export const CLOSE = 'close';
const IDLE_MS = 10_000;
const LONGEST_OUTAGE_MS = 100_000;
/** Columns of JSON, which the client parses unless the statement asks for texts. */
const JSON_COLUMNS = ['holder', 'progress', 'error'];
const BIGINTS = ['token', 'id'];

const ROWS: readonly (readonly [RegExp, (server: SimPostgres) => Record<string, unknown>[]])[] = [
  [/server_version_num/, () => [{ number: 160_000 }]],
  [/FROM pg_class/, (server) => (server.hasLedger ? [{ '?column?': 1 }] : [])],
  [/FROM pg_namespace/, () => [{ '?column?': 1 }]],
  [/SELECT pg_advisory_xact_lock/, () => [{}]],
];

/**
 * PostgreSQL as a model: SQLite runs the statements, one transaction after the other, and readers see what is committed.
 * The clock is the server's own.
 */
export class SimPostgres implements Disposable {
  readonly world: World;
  readonly #writer: DatabaseSync;
  readonly #reader: DatabaseSync;
  readonly #prepared = new Map<DatabaseSync, Map<string, StatementSync>>();
  readonly #waiting: Session[] = [];
  readonly #watch: (sql: string, values: readonly unknown[], process: SimProcess) => void;
  readonly #clockOff: number;
  #holder: Session | null = null;
  hasLedger = false;
  /** Kept where a test asks for it. */
  log: LoggedStatement[] | null = null;
  sessions = 0;
  #uuids: string[] = [];
  /** Until when nobody reaches it. */
  awayUntil = 0;

  /** @param watch sees each statement that changes something, before it runs */
  constructor(world: World, path: string, watch: SimPostgres['watch']) {
    this.world = world;
    this.#watch = watch;
    this.#clockOff = world.below(7_200_000) - 3_600_000;
    this.#writer = new DatabaseSync(path);
    this.#writer.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
    this.#reader = new DatabaseSync(path);
    for (const database of [this.#writer, this.#reader]) {
      this.#prepared.set(database, new Map());
      database.function('server_time', (more) => new Date(this.now + Number(more)).toISOString());
      database.function('gen_random_uuid', () => this.#uuid());
    }
  }

  get watch() {
    return this.#watch;
  }

  get now(): number {
    return Math.floor(this.world.now) + this.#clockOff;
  }

  refuseAway(): void {
    if (this.world.now < this.awayUntil) throw broken('ECONNREFUSED', 'connect ECONNREFUSED');
  }

  /** What readers see; for oracles too. */
  committed<R = Record<string, unknown>>(sql: string, values: readonly unknown[] = []): R[] {
    return this.#run(this.#reader, sql, values) as R[];
  }

  /** What the transaction under way sees. */
  present<R = Record<string, unknown>>(sql: string, values: readonly unknown[] = []): R[] {
    return this.#run(this.#writer, sql, values) as R[];
  }

  write(sql: string, values: readonly unknown[], process: SimProcess): Record<string, unknown>[] {
    this.#watch(sql, values, process);
    const rows = this.#run(this.#writer, sql, values);
    if (sql.includes('.version VALUES')) this.hasLedger = true;
    return rows;
  }

  /** The next transaction begins once the present one has ended. */
  begin(session: Session, start: () => void): void {
    session.start = start;
    this.#waiting.push(session);
    this.#next();
  }

  end(session: Session, commit: boolean): void {
    const index = this.#waiting.indexOf(session);
    if (index >= 0) this.#waiting.splice(index, 1);
    if (this.#holder !== session) return;
    this.#writer.exec(commit ? 'COMMIT' : 'ROLLBACK');
    this.note(session, commit ? 'COMMIT' : 'ROLLBACK');
    if (!commit)
      this.hasLedger = this.committed(`SELECT 1 FROM sqlite_schema WHERE name = 'version'`).length > 0;
    this.#holder = null;
    this.#next();
  }

  holds(session: Session): boolean {
    return this.#holder === session;
  }

  note(
    session: Session,
    sql: string,
    values: readonly unknown[] = [],
    rows: LoggedStatement['rows'] = [],
  ): void {
    this.log?.push({ session: session.number, sql, values, rows, at: this.now, uuids: this.#uuids });
    this.#uuids = [];
  }

  #next(): void {
    if (this.#holder !== null) return;
    const session = this.#waiting.shift();
    if (session === undefined) return;
    this.#holder = session;
    this.#writer.exec('BEGIN IMMEDIATE');
    this.note(session, 'BEGIN');
    session.start();
  }

  #run(database: DatabaseSync, sql: string, values: readonly unknown[]): Record<string, unknown>[] {
    const { answer, json } = kindOf(sql);
    if (answer) return answer(this);
    const prepared = this.#prepared.get(database);
    let statement = prepared?.get(sql);
    if (statement === undefined) {
      const [text, ...others] = translated(sql);
      if (text === undefined) return [];
      if (others.length > 0) {
        for (const one of [text, ...others]) database.exec(one);
        return [];
      }
      statement = prepare(database, text);
      prepared?.set(sql, statement);
    }
    const rows = statement.all(...values.map(bound)) as Record<string, unknown>[];
    for (const row of rows) withJson(row, json);
    return rows;
  }

  #uuid(): string {
    const digits = (): string => (0x100000000 + this.world.below(0xffffffff)).toString(16).slice(1);
    const text = digits() + digits() + digits() + digits();
    const uuid = text.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    this.#uuids.push(uuid);
    return uuid;
  }

  [Symbol.dispose](): void {
    this.#reader.close();
    this.#writer.close();
  }
}

function bound(value: unknown): SQLInputValue {
  if (Array.isArray(value)) return JSON.stringify(value);
  if (typeof value === 'boolean') return Number(value);
  return (value ?? null) as SQLInputValue;
}

function prepare(database: DatabaseSync, text: string): StatementSync {
  try {
    return database.prepare(text);
  } catch (error) {
    throw /no such table/.test(String(error)) ? broken('42P01', String(error)) : error;
  }
}

/** Translations are the same in each life. */
const TRANSLATED = new Map<string, readonly string[]>();

function translated(sql: string): readonly string[] {
  const known = TRANSLATED.get(sql) ?? translatePostgres(sql);
  TRANSLATED.set(sql, known);
  return known;
}

interface StatementKind {
  /** What the server answers without tables. */
  readonly answer: ((server: SimPostgres) => Record<string, unknown>[]) | undefined;
  /** The columns that the client parses. */
  readonly json: readonly string[];
}

const KINDS = new Map<string, StatementKind>();

function kindOf(sql: string): StatementKind {
  const known = KINDS.get(sql) ?? {
    answer: ROWS.find(([pattern]) => pattern.test(sql))?.[1],
    json: JSON_COLUMNS.filter((name) => !sql.includes(`CAST(${name} AS text)`)),
  };
  KINDS.set(sql, known);
  return known;
}

function withJson(row: Record<string, unknown>, json: readonly string[]): void {
  for (const name of json) {
    const value = row[name];
    if (typeof value === 'string') row[name] = JSON.parse(value);
  }
  // As the client gives a bigint.
  for (const name of BIGINTS) if (typeof row[name] === 'number') row[name] = String(row[name]);
}

export function broken(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

const CHANGES = /^\s*(?:INSERT|UPDATE|DELETE|CREATE|WITH)\b/;

/** A connection: at most one transaction at a time. */
export class Session {
  start: () => void = () => {};
  readonly number: number;
  readonly #process: SimProcess;
  readonly #server: SimPostgres;
  isBroken = false;
  #idle = (): void => {};
  #isOpen = false;

  constructor(process: SimProcess, server: SimPostgres) {
    this.#process = process;
    this.#server = server;
    this.number = server.sessions++;
    process.onEnd.push(() => this.close());
  }

  /** As `Client.query` of `pg`. */
  async query(sql: string, values: readonly unknown[] = []): Promise<Answer> {
    const word = sql.trimStart().slice(0, 8).toUpperCase();
    if (word.startsWith('BEGIN')) return this.#begin();
    if (word.startsWith('COMMIT')) return this.#end(true);
    if (word.startsWith('ROLLBACK')) return this.#end(false);
    if (!this.#isOpen && CHANGES.test(sql)) {
      await this.#begin();
      try {
        const answer = await this.#statement(sql, values);
        await this.#end(true);
        return answer;
      } catch (error) {
        this.close();
        throw error;
      }
    }
    return this.#statement(sql, values);
  }

  #statement(sql: string, values: readonly unknown[]): Promise<Answer> {
    return this.#operate('postgres statement', sql, () => {
      const server = this.#server;
      try {
        const rows = this.#run(sql, values);
        server.note(this, sql, values, rows);
        return { rows };
      } catch (error) {
        server.note(this, sql, values, null);
        throw error;
      }
    });
  }

  #run(sql: string, values: readonly unknown[]): Record<string, unknown>[] {
    const server = this.#server;
    if (!this.#isOpen) return server.committed(sql, values);
    return CHANGES.test(sql) ? server.write(sql, values, this.#process) : server.present(sql, values);
  }

  async #begin(): Promise<Answer> {
    await this.#operate('postgres begin', 'BEGIN', () => {});
    await new Promise<void>((resolve) => {
      this.#server.begin(this, () => {
        this.#isOpen = true;
        this.#watchIdle();
        // The process notices it in its turn.
        this.#process.after(0.1, resolve);
      });
    });
    return { rows: [] };
  }

  async #end(commit: boolean): Promise<Answer> {
    await this.#operate(
      commit ? 'postgres commit' : 'postgres rollback',
      commit ? 'COMMIT' : 'ROLLBACK',
      (fault) => {
        if (fault?.fault === 'commit lost') this.#break('commit lost');
        if (!this.#isOpen) throw broken('25P01', 'there is no transaction');
        this.#finish(commit);
        if (fault?.fault === 'commit answer lost') this.#break('the answer of a commit is lost');
      },
    );
    return { rows: [] };
  }

  #operate<T>(kind: string, sql: string, effect: (fault?: Decision) => T): Promise<T> {
    const { trace } = this.#server.world;
    const text = trace === null ? '' : sql.replace(/\s+/g, ' ').slice(0, 90);
    return this.#process.operate(kind, text, 0.2 + this.#server.world.random() * 3, (fault) => {
      const server = this.#server;
      if (fault?.fault === 'server away')
        server.awayUntil = server.world.now + 1000 + fault.amount * LONGEST_OUTAGE_MS;
      if (fault?.fault === 'connection lost') this.#break('connection lost');
      if (server.world.now < server.awayUntil) this.#break('the server is away');
      if (this.isBroken) throw broken('ECONNRESET', 'Connection terminated unexpectedly');
      this.#watchIdle();
      return effect(fault);
    });
  }

  #break(why: string): never {
    this.close();
    throw broken('ECONNRESET', why);
  }

  #watchIdle(): void {
    this.#idle();
    if (this.#isOpen) this.#idle = this.#server.world.after(IDLE_MS, () => this.close());
  }

  #finish(commit: boolean): void {
    this.#idle();
    this.#isOpen = false;
    this.#server.end(this, commit);
  }

  /** The server rolls back what was not committed. */
  close(): void {
    this.isBroken = true;
    this.#finish(false);
    this.#server.note(this, CLOSE);
  }
}
