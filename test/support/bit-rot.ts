import { cp, mkdir, open, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Connection, table, text } from '../../src/core/duckdb/duckdb.ts';
import type { Sandbox } from '../../src/service/sandbox/start-sandbox.ts';
import { rawProjectFolder, runProject, sandboxFor } from './project.ts';
import { temporaryFolder } from './temporary.ts';

/** Of the files that crawlhouse writes. */
const BLOCK_BYTES = 32_768;
const HEADER_BYTES = 4096;
const HEADERS = 3;

/** Every place of a DuckDB file that has a checksum: its three headers, then its blocks. */
export async function places(file: string): Promise<number[]> {
  const { size } = await stat(file);
  const blocks = Math.floor((size - HEADERS * HEADER_BYTES) / BLOCK_BYTES);
  const headers = Array.from({ length: HEADERS }, (_, header) => header * HEADER_BYTES);
  return [
    ...headers,
    ...Array.from({ length: blocks }, (_, block) => HEADERS * HEADER_BYTES + block * BLOCK_BYTES),
  ];
}

/** Flips a bit of the byte at this position, as a disk that rots does. */
export async function flipByte(file: string, position: number): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    const byte = Buffer.alloc(1);
    await handle.read(byte, 0, 1, position);
    byte[0] = (byte[0] ?? 0) ^ 0x10;
    await handle.write(byte, 0, 1, position);
  } finally {
    await handle.close();
  }
}

/** Reads every value of a warehouse file, which fails where a block is damaged; rows of each table of `raw`. */
export async function readWhole(connection: Connection, file: string): Promise<Record<string, number>> {
  await connection.run(`ATTACH ${text(file)} AS whole (READ_ONLY)`);
  try {
    const tables = await connection.rows<{ schema: string; name: string }>(
      `SELECT schema_name AS schema, table_name AS name FROM duckdb_tables() WHERE database_name = 'whole'
       ORDER BY ALL`,
    );
    const rows: Record<string, number> = {};
    for (const { schema, name } of tables) {
      const [found] = await connection.rows(
        `SELECT count(*) AS rows, sum(hash(t)) FROM ${table('whole', schema, name)} AS t`,
      );
      if (schema === 'raw') rows[name] = Number(found?.rows);
    }
    return rows;
  } finally {
    await connection.run('DETACH whole');
  }
}

/** The position of a block that holds values of `raw.crawl_pages`. */
export async function placeOfPages(connection: Connection, file: string): Promise<number> {
  await connection.run(`ATTACH ${text(file)} AS whole (READ_ONLY)`);
  try {
    const block = await connection.scalar(
      `SELECT min(block_id) FROM pragma_storage_info('whole.raw.crawl_pages') WHERE column_name = 'title' AND block_id >= 0`,
    );
    return HEADERS * HEADER_BYTES + Number(block) * BLOCK_BYTES;
  } finally {
    await connection.run('DETACH whole');
  }
}

const PAGES = 400;
const LINKS = 60;

const MODEL = `/*
name: mart.page_titles
kind: table
description: Titles of the pages that have links.
grain: [crawl_id, url]
columns:
  crawl_id: Identifier of the crawl.
  url: URL of the page.
  title: Its title.
  links: Number of links on it.
reads:
  raw.crawl_pages: {_crawl_id: VARCHAR, url: VARCHAR, title: VARCHAR}
  raw.crawl_links: {_crawl_id: VARCHAR, origin: VARCHAR}
*/
SELECT p._crawl_id AS crawl_id, p.url, any_value(p.title) AS title, count(l.origin) AS links
FROM raw.crawl_pages AS p LEFT JOIN raw.crawl_links AS l ON l._crawl_id = p._crawl_id AND l.origin = p.url
GROUP BY ALL
`;

/** A project whose crawls' pages are published, with a model that reads them and the links that come next. */
export async function projectWithPages(): Promise<{ sandbox: Sandbox; folder: string }> {
  const sandbox = await sandboxFor({
    generate: [`projects=1,crawls=2,pages=${PAGES},links=${LINKS},columns=40,seed=3`],
  });
  const folder = await rawProjectFolder();
  expect((await runProject(folder, sandbox, { pipelines: ['crawl_pages'] })).exitCode).toBe(0);
  await mkdir(join(folder, 'sql', 'mart'));
  await writeFile(join(folder, 'sql', 'mart', 'page_titles.sql'), MODEL);
  return { sandbox, folder };
}

/** What the project holds once everything is published. */
export const EVERYTHING = { crawl_links: 2 * LINKS, crawl_pages: 2 * PAGES };

/** Flips a byte at this position of the working copy of such a project's copy, and runs: all is published, whole. */
export async function runDamaged(
  connection: Connection,
  { sandbox, folder }: { readonly sandbox: Sandbox; readonly folder: string },
  position: number,
): Promise<void> {
  const again = join(await temporaryFolder(), 'project');
  await cp(folder, again, { recursive: true });
  await flipByte(join(again, '.crawlhouse', 'work.duckdb'), position);
  const { exitCode } = await runProject(again, sandbox, { pipelines: ['crawl_pages', 'crawl_links'] });
  const rows = await readWhole(connection, join(again, 'warehouse.duckdb'));
  expect([position, exitCode, rows]).toEqual([position, 0, EVERYTHING]);
}
