import { z } from 'zod';
import { toCrawlhouseError } from '../../../core/errors/errors.ts';
import { type Html, html } from '../../../core/text/html.ts';
import { nearNames } from '../../../core/text/nearest-name.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';
import type { LedgerUnit } from '../../../etl/project/model/runs/ledger-records.ts';
import { COUNTS } from '../../../etl/project/model/runs/six-counts.ts';
import { KnownChange } from '../../../etl/state/catalog/ops/ops-schema-changes.ts';
import { drawLineage, familyOf, type Reads } from '../../answers/dictionary/lineage-drawing.ts';
import { modelReads } from '../../answers/dictionary/read-dictionary.ts';
import { readKnownUnits } from '../../operations/status/remembered.ts';
import {
  changesTable,
  loadBlocks,
  NOT_LOADED,
  readPublishedUnit,
  rejectsTable,
  unitHead,
} from '../../operations/status/unit-blocks.ts';
import { drawBlocks, unitPath } from '../layout/addresses.ts';
import { drawPaging, Paging, pagingOf } from '../layout/paging.ts';
import { Count, countOrDash, UnitCounts } from '../layout/unit-counts.ts';
import { planButton, retryOf } from '../page-parts/acting.ts';
import { NotFound, type PageRequest, page } from '../page-parts/console-page.ts';
import { NamedCrawl } from '../page-parts/crawl-document.ts';
import type { Readers } from '../readers/readers.ts';

const SIZE = 50;

const Unit = z.strictObject({
  unit: z.string(),
  dataset: z.string(),
  source: z.strictObject({ kind: z.string(), id: z.string(), project_id: z.string().nullable() }),
  project_name: z.string().nullable(),
  /** The name of its crawl; null if unknown. */
  crawl: NamedCrawl.nullable(),
  status: z.string(),
  attempts: z.number(),
  failures: z.number(),
  failing_since: z.string().nullable(),
  next_try_at: z.string().nullable(),
  updated_at: z.string(),
  error: z.strictObject({ code: z.string(), message: z.string(), hint: z.string().nullable() }).nullable(),
  /** Null if it is not in the warehouse. */
  load: z
    .strictObject({
      counts: UnitCounts,
      /** The counts that differ from the preceding count. */
      differing: z.array(z.enum(COUNTS)),
      route: z.string().nullable(),
      reason: z.string().nullable(),
      format: z.string().nullable(),
      bytes: Count.nullable(),
      seconds: z.number().nullable(),
      attempts: Count.nullable(),
      filter: z.string().nullable(),
      /** The usual number of rows, if it has far fewer. */
      usual: Count.nullable(),
      run_id: z.string().nullable(),
      loaded_at: z.string(),
    })
    .nullable(),
  rejects: z.array(
    z.strictObject({
      file: z.string().nullable(),
      line: Count.nullable(),
      field: z.string().nullable(),
      value: z.string().nullable(),
      reason: z.string().nullable(),
    }),
  ),
  paging: Paging,
  /** Changes of its dataset, newest first. */
  schema_changes: z.array(KnownChange),
  /** The models that are made from its rows, each with the tables that it reads. */
  models: z.record(z.string(), z.array(z.string())),
});
type Unit = Typed<typeof Unit>;

export const UNIT = page<Unit>({
  path: '/units/*',
  summary: 'One unit: its state, six counts, rejects, changes of its dataset, and the models that read it.',
  query: { page: 'The page of rejects, from 1.' },
  schema: Unit,
  async read({ path, query }, readers) {
    const name = path['*'] ?? '';
    const known = await readKnownUnits(readers.settings);
    const unit = known.find((unit) => unit.unit === name);
    if (unit === undefined) {
      const near = nearNames(
        name,
        known.map((unit) => unit.unit),
      );
      const maybe = near.length === 0 ? '' : ` Did you mean ${near.join(', ')}?`;
      throw new NotFound(`There is no unit ${name}.${maybe}`);
    }
    return await readUnit(unit, query, readers);
  },
  draw: (unit, request) => ({ title: unit.unit, body: drawUnit(unit, request) }),
});

async function readUnit(unit: LedgerUnit, query: URLSearchParams, readers: Readers): Promise<Unit> {
  const { dataset, source } = unit;
  let paging: Paging = { page: 1, pages: 1, total: 0 };
  const found = await readers.published((connection) =>
    readPublishedUnit(connection, unit, (total) => {
      const { from, ...own } = pagingOf(query.get('page'), total, SIZE);
      paging = own;
      return { limit: SIZE, offset: from };
    }),
  );
  const reads = await readers.once('reads of models', () => modelReads(readers.settings));
  const { status, attempts, failures, failing_since, next_try_at, updated_at } = unit;
  return {
    unit: unit.unit,
    dataset,
    status,
    attempts,
    failures,
    failing_since,
    next_try_at,
    updated_at,
    source: { kind: source.kind, id: source.id, project_id: source.project_id },
    project_name: found?.project_name ?? null,
    crawl: source.kind === 'crawl' ? await crawlOf(source.id, readers) : null,
    error: unit.error && { code: unit.error.code, message: unit.error.message, hint: unit.error.hint },
    load: found?.load ?? null,
    rejects: found?.rejects ?? [],
    paging,
    schema_changes: found?.schema_changes ?? [],
    models: modelsFrom(`raw.${dataset}`, reads),
  };
}

/** Returns null if the warehouse contains no record of the crawl, such as without models. */
async function crawlOf(crawl: string, readers: Readers): Promise<Unit['crawl']> {
  try {
    const [row] = await readers.rowsOnce(
      NamedCrawl,
      'SELECT crawl_id, crawl_number, ended_at FROM mart.crawls WHERE crawl_id = $crawl',
      new Map([['crawl', crawl]]),
    );
    return row ?? null;
  } catch (thrown) {
    if (['bad_query', 'nothing_published'].includes(toCrawlhouseError(thrown).code)) return null;
    throw thrown;
  }
}

function modelsFrom(raw: string, reads: Reads): Unit['models'] {
  const family = [...familyOf(raw, reads)].filter((name) => name !== raw);
  return Object.fromEntries(family.sort().map((name) => [name, [...(reads.get(name) ?? [])]]));
}

function drawUnit(unit: Unit, { query, canAct }: PageRequest): Html {
  const { source, status, load, rejects, schema_changes } = unit;
  const crawl =
    source.kind === 'crawl'
      ? { to: 'crawl' as const, ...(unit.crawl ?? { crawl_id: source.id, ended_at: null }) }
      : null;
  return html`<h1>${unit.unit}</h1>
${drawBlocks(unitHead(unit, unit.project_name, crawl, Date.now()))}
${canAct && unit.error !== null ? planButton(retryOf(unit), 'Retry') : null}
<h2>From the service to the warehouse</h2>
${load === null ? html`<p class="empty">${NOT_LOADED}</p>` : html`${drawChain(load)}${drawBlocks(loadBlocks(load, status))}`}
<h2>Rejects</h2>
${drawBlocks([rejectsTable(rejects)])}
${drawPaging(unit.paging, { path: unitPath(unit.unit), query })}
<h2>Schema changes of ${unit.dataset}</h2>
${drawBlocks([changesTable(schema_changes)])}
<h2>Models that use its rows</h2>
${drawModels(unit)}
`;
}

function drawChain({ counts, differing: wrong }: NonNullable<Unit['load']>): Html {
  return html`<ol class="chain">${COUNTS.map(
    (name) =>
      html`<li${wrong.includes(name) ? html` class="differs"` : null}><span>${name}</span> <strong>${countOrDash(counts[name])}</strong>${
        wrong.includes(name) ? html` <span class="bad">differs</span>` : null
      }</li>\n`,
  )}</ol>
`;
}

function drawModels({ dataset, models }: Unit): Html {
  const names = Object.keys(models);
  if (names.length === 0) return html`<p class="empty">No model reads <code>raw.${dataset}</code>.</p>`;
  const raw = `raw.${dataset}`;
  const drawing = drawLineage(
    new Set([raw, ...names]),
    { reads: new Map(Object.entries(models)), known: new Set() },
    raw,
  );
  return html`<p>${names.join(', ')}</p>
<details><summary>Path of its rows through the models</summary><div class="scroll" tabindex="0" role="region" aria-label="Lineage">${drawing}</div></details>`;
}
