import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { PublishedWarehouse } from '../../../../src/app/answers/query/query-warehouse.ts';

/** A process of ten readers: each opens, asks, closes, again and again; every fifth stays open until the end. */
const READERS = 10;
const warehouse = String(process.argv[2]);
const { signal } = new AbortController();
let isOver = false;
let reads = 0;
const seen = new Set<string>();
const torn: string[] = [];

async function ask(open: PublishedWarehouse): Promise<string> {
  const rows = await open.ask(
    `SELECT string_agg(DISTINCT url, ' ') AS urls, count(*) AS n, (SELECT sum(queryable) FROM ops.loads) AS told
     FROM raw.crawl_pages`,
    signal,
    (result) => result.rows(),
  );
  const [urls, rowCount, told] = (rows[0] ?? []) as [string, bigint, bigint];
  reads++;
  seen.add(urls);
  if (urls.includes(' ') || rowCount !== 6n || told !== 6n) torn.push(`${urls}: ${rowCount} of ${told}`);
  return urls;
}

async function read(): Promise<void> {
  const held: { open: PublishedWarehouse; said: string }[] = [];
  for (let turn = 0; !isOver; turn++) {
    const open = await PublishedWarehouse.open({ warehouse, memoryLimit: '50MB', threads: 1 });
    const said = await ask(open);
    if (turn % 5 === 0 && held.length < 3) held.push({ open, said });
    else open[Symbol.dispose]();
    // Time for the publications, which the readers would take otherwise.
    await pause(300);
  }
  for (const { open, said } of held) {
    const now = await ask(open);
    if (now !== said) torn.push(`an open reader changed from ${said} to ${now}`);
    open[Symbol.dispose]();
  }
}

const readers = Array.from({ length: READERS }, read);
process.stdout.write('reading\n');
createInterface({ input: process.stdin }).on('close', async () => {
  isOver = true;
  await Promise.all(readers);
  process.stdout.write(`${JSON.stringify({ reads, seen: [...seen].sort(), torn })}\n`);
});
