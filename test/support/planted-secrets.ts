import { createHash, getHashes } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { constants, createGunzip, createZstdDecompress } from 'node:zlib';
import { type Connection, parquetFiles, table, text } from '../../src/core/duckdb/duckdb.ts';
import { seededRandom } from './random.ts';

const KEY = 6;

/** Texts that a log has and that must stay nowhere, each with the ways in which it may be written down. */
export class PlantedSecrets {
  /** By their first bytes, as a number. */
  readonly #patterns = new Map<number, { readonly bytes: Buffer; readonly name: string }[]>();
  readonly addresses: readonly string[];
  readonly tokens: readonly string[];

  constructor(seed: number) {
    const random = seededRandom(seed);
    const number = (below: number): number => Math.floor(random() * below);
    const hex = (): string => number(65_536).toString(16).padStart(4, '0');
    this.addresses = Array.from({ length: 20 }, (_, n) =>
      n < 14
        ? `1${n + 10}.${100 + number(150)}.${100 + number(150)}.${100 + number(150)}`
        : `2a0${n - 10}:${hex()}:${hex()}::${hex()}`,
    );
    this.tokens = Array.from({ length: 30 }, (_, n) => `tok${n}z${hex()}${hex()}${hex()}`);
    for (const one of [...this.addresses, ...this.tokens]) this.add(one);
  }

  /** A text whose hashes must not stay either, such as a line of the log. */
  addHashes(secret: string): void {
    for (const hash of HASHES) {
      const digest = createHash(hash).update(secret, 'latin1').digest();
      for (const bytes of [digest.subarray(0, 12), ...spellings(digest)])
        this.#put(bytes, `${hash} of ${secret}`);
    }
  }

  add(secret: string): void {
    for (const bytes of [secret, encodeURIComponent(secret), secret.split('').reverse().join('')])
      this.#put(Buffer.from(bytes), secret);
    for (const bytes of spellings(Buffer.from(secret))) this.#put(bytes, secret);
    this.addHashes(secret);
  }

  #put(bytes: Buffer, name: string): void {
    const key = bytes.readUIntLE(0, KEY);
    const known = this.#patterns.get(key) ?? [];
    this.#patterns.set(key, [...known, { bytes, name }]);
  }

  /** The names of those that bytes hold. */
  in(bytes: Buffer): string[] {
    const found = new Set<string>();
    for (let at = 0; at + KEY <= bytes.length; at++) {
      const candidates = this.#patterns.get(bytes.readUIntLE(at, KEY));
      for (const { bytes: whole, name } of candidates ?? [])
        if (bytes.subarray(at, at + whole.length).equals(whole)) found.add(name);
    }
    return [...found];
  }
}

const HASHES = getHashes().filter((name) =>
  /^(?:md5|sha1|sha224|sha256|sha384|sha512|sha3-256|blake2[bs]\d+)$/.test(name),
);

function spellings(bytes: Buffer): Buffer[] {
  const hex = bytes.toString('hex').slice(0, 24);
  // Whole groups of three bytes are the same wherever a text begins.
  const whole = bytes.subarray(0, bytes.length - (bytes.length % 3)).subarray(0, 24);
  return [hex, hex.toUpperCase(), whole.toString('base64'), whole.toString('base64url')].map((one) =>
    Buffer.from(one),
  );
}

/** Which secrets the files of a folder hold, by any way to read them: as they are, unpacked, and as tables. */
export async function secretsIn(
  folder: string,
  secrets: PlantedSecrets,
  connection: Connection,
): Promise<string[]> {
  const found: string[] = [];
  const note = (where: string, bytes: Buffer): void => {
    for (const one of secrets.in(bytes)) found.push(`${where}: ${one}`);
  };
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    const name = path.slice(folder.length + 1);
    note(name, bytes);
    for await (const unpacked of packedIn(bytes)) note(`${name}, unpacked`, unpacked);
    if (bytes.subarray(0, 4).toString() === 'PAR1')
      note(`${name}, rows`, await rowsOf(connection, parquetFiles([path])));
    if (bytes.subarray(8, 12).toString() === 'DUCK')
      for (const rows of await duckdbTables(connection, path)) note(`${name}, tables`, rows);
    if (bytes.subarray(0, 15).toString() === 'SQLite format 3') note(`${name}, tables`, sqliteTables(path));
  }
  return found;
}

/** Bytes of a block of a database, in which what is packed ends. */
const BLOCK = 32_768;

/** What gzip and zstd have packed, wherever it begins: blocks of a database that are free have it, too. */
async function* packedIn(bytes: Buffer): AsyncGenerator<Buffer> {
  for (const [magic, decoder] of [
    [Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), () => createZstdDecompress()],
    [Buffer.from([0x1f, 0x8b, 8]), () => createGunzip({ finishFlush: constants.Z_SYNC_FLUSH })],
  ] as const)
    for (let at = bytes.indexOf(magic); at >= 0; at = bytes.indexOf(magic, at + 1)) {
      const stream = decoder();
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => void pieces.push(piece));
      await new Promise<void>((resolve) => {
        for (const event of ['end', 'error', 'close']) stream.on(event, () => resolve());
        // A decoder that is fed up says nothing of it.
        stream.write(bytes.subarray(at, at + BLOCK), () => setImmediate(resolve));
        setTimeout(resolve, 100).unref();
      });
      stream.destroy();
      yield Buffer.concat(pieces);
    }
}

async function rowsOf(connection: Connection, source: string): Promise<Buffer> {
  const rows = await connection.jsonRows(`SELECT CAST(one AS VARCHAR) AS row FROM ${source} AS one`);
  return Buffer.from(rows.map(({ row }) => String(row)).join('\n'));
}

async function duckdbTables(connection: Connection, path: string): Promise<Buffer[]> {
  await connection.run(`ATTACH ${text(path)} AS planted (READ_ONLY)`);
  try {
    const tables = await connection.rows(
      "SELECT schema_name AS s, table_name AS t FROM duckdb_tables() WHERE database_name = 'planted'",
    );
    const rows: Buffer[] = [];
    for (const { s, t } of tables)
      rows.push(await rowsOf(connection, table('planted', String(s), String(t))));
    return rows;
  } finally {
    await connection.run('DETACH planted');
  }
}

/** Of a copy: SQLite can't read a database with a write-ahead log where the disk has no room for its index. */
function sqliteTables(path: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'planted-'));
  const copy = join(folder, 'copy.sqlite');
  copyFileSync(path, copy);
  if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
  const database = new DatabaseSync(copy);
  try {
    const names = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    return Buffer.from(
      JSON.stringify(names.map(({ name }) => database.prepare(`SELECT * FROM "${name}"`).all())),
    );
  } finally {
    database.close();
    rmSync(folder, { recursive: true });
  }
}
