import { z } from 'zod';
import { drawLineage } from '../../../answers/document/lineage-drawing.ts';
import { familyOf, type Reads } from '../../../answers/document/lineage-layout.ts';
import { modelReads } from '../../../answers/document/read-dictionary.ts';
import { toCrawlhouseError } from '../../../core/errors/errors.ts';
import { bytesText, countText, durationText } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';
import { nearNames } from '../../../core/text/nearest-name.ts';
import { readKnownUnits } from '../../../operations/status/remembered.ts';
import type { LedgerUnit } from '../../../project/model/runs/ledger-records.ts';
import { type LoadEntry, loadEntries } from '../../../state/catalogue/ops/ops-loads.ts';
import { countRejects, rejectsOf } from '../../../state/catalogue/ops/ops-rejects.ts';
import { lastSchemaChanges } from '../../../state/catalogue/ops/ops-schema-changes.ts';
import { projectNames } from '../../../state/catalogue/raw/raw-projects.ts';
import type { Readers } from '../desk/desk.ts';
import { crawlLink, projectLink, runLink, unitLink, unitPath } from '../layout/addresses.ts';
import { Count, countOrDash } from '../layout/counts.ts';
import { drawPaging, Paging, pagingOf } from '../layout/paging.ts';
import { statusMark } from '../layout/status-mark.ts';
import { table } from '../layout/table.ts';
import { timeText } from '../layout/times.ts';
import { planButton, retryOf } from './acting.ts';
import { NotFound, type PageRequest, page } from './page.ts';

const SIZE = 50;
const MOST_CHANGES = 20;
/** In the order in which rows travel. */
const COUNTS = ['reported', 'received', 'staged', 'rejected', 'loaded', 'queryable'] as const;

const Unit = z.strictObject({
  unit: z.string(),
  dataset: z.string(),
  source: z.strictObject({ kind: z.string(), id: z.string(), project_id: z.string().nullable() }),
  project_name: z.string().nullable(),
  /** What people call its crawl; null where that is not known. */
  crawl: z
    .strictObject({ crawl_id: z.string(), crawl_number: Count.nullable(), ended_at: z.string().nullable() })
    .nullable(),
  status: z.string(),
  attempts: z.number(),
  failures: z.number(),
  failing_since: z.string().nullable(),
  next_try_at: z.string().nullable(),
  updated_at: z.string(),
  error: z.strictObject({ code: z.string(), message: z.string(), hint: z.string().nullable() }).nullable(),
  /** Null where it is not in the warehouse. */
  load: z
    .strictObject({
      counts: z.strictObject({
        reported: Count.nullable(),
        received: Count.nullable(),
        staged: Count.nullable(),
        rejected: Count.nullable(),
        loaded: Count.nullable(),
        queryable: Count.nullable(),
      }),
      /** The counts that differ from the one before. */
      differing: z.array(z.enum(COUNTS)),
      route: z.string().nullable(),
      reason: z.string().nullable(),
      format: z.string().nullable(),
      bytes: Count.nullable(),
      seconds: z.number().nullable(),
      attempts: Count.nullable(),
      filter: z.string().nullable(),
      /** The usual number of rows, where it has far fewer. */
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
  /** Of its dataset, the newest first. */
  schema_changes: z.array(
    z.strictObject({
      unit: z.string(),
      field: z.string(),
      change: z.string(),
      before: z.string().nullable(),
      after: z.string().nullable(),
      changed_at: z.string(),
    }),
  ),
  /** The models that come of its rows, each with the tables that it reads. */
  models: z.record(z.string(), z.array(z.string())),
});
type Unit = z.infer<typeof Unit>;

export const UNIT = page<Unit>({
  path: '/units/*',
  summary:
    'One unit: its state, its six counts, its rejects, the changes of its dataset, the models that read it.',
  query: { page: 'Of its rejects, from 1.' },
  schema: Unit,
  async read({ path, query }, desk) {
    const name = path['*'] ?? '';
    const known = await readKnownUnits(desk.settings);
    const unit = known.find((one) => one.unit === name);
    if (unit === undefined) {
      const near = nearNames(
        name,
        known.map((one) => one.unit),
      );
      const maybe = near.length === 0 ? '' : ` Did you mean ${near.join(', ')}?`;
      throw new NotFound(`There is no unit ${name}.${maybe}`);
    }
    return await readUnit(unit, query, desk);
  },
  draw: (unit, request) => ({ title: unit.unit, body: drawUnit(unit, request) }),
});

async function readUnit(unit: LedgerUnit, query: URLSearchParams, desk: Readers): Promise<Unit> {
  const { dataset, source } = unit;
  const found = await desk.published(async (connection) => {
    const { from, ...paging } = pagingOf(query.get('page'), await countRejects(connection, unit.unit), SIZE);
    const [load] = await loadEntries(connection, 'unit', unit.unit, { limit: 1, offset: 0 });
    return {
      load: load ?? null,
      names: await projectNames(connection),
      rejects: await rejectsOf(connection, unit.unit, { limit: SIZE, offset: from }),
      paging,
      changes: await lastSchemaChanges(connection, dataset, MOST_CHANGES),
    };
  });
  const reads = await desk.once('reads of models', () => modelReads(desk.settings));
  return {
    unit: unit.unit,
    dataset,
    status: unit.status,
    attempts: unit.attempts,
    failures: unit.failures,
    failing_since: unit.failing_since,
    next_try_at: unit.next_try_at,
    updated_at: unit.updated_at,
    source: { kind: source.kind, id: source.id, project_id: source.project_id },
    project_name: (source.project_id && found?.names.get(source.project_id)) || null,
    crawl: source.kind === 'crawl' ? await crawlOf(source.id, desk) : null,
    error: unit.error && { code: unit.error.code, message: unit.error.message, hint: unit.error.hint },
    load: found?.load ? loadOf(found.load) : null,
    rejects: found?.rejects ?? [],
    paging: found?.paging ?? { page: 1, pages: 1, total: 0 },
    schema_changes: found?.changes ?? [],
    models: modelsFrom(`raw.${dataset}`, reads),
  };
}

/** Null without its record, such as in a warehouse without models. */
async function crawlOf(crawl: string, desk: Readers): Promise<Unit['crawl']> {
  try {
    const [row] = await desk.rowsOnce(
      'SELECT crawl_id, crawl_number, ended_at FROM mart.crawls WHERE crawl_id = $crawl',
      new Map([['crawl', crawl]]),
    );
    return (row as Unit['crawl'] | undefined) ?? null;
  } catch (thrown) {
    if (['bad_query', 'nothing_published'].includes(toCrawlhouseError(thrown).code)) return null;
    throw thrown;
  }
}

function loadOf(load: LoadEntry): NonNullable<Unit['load']> {
  const { reported, received, staged, rejected, loaded, queryable } = load;
  const counts = { reported, received, staged, rejected, loaded, queryable };
  const { route, reason, format, bytes, seconds, attempts, filter, run_id, loaded_at } = load;
  return {
    counts,
    differing: differing(counts),
    route,
    format,
    bytes,
    seconds,
    attempts,
    filter,
    run_id,
    loaded_at,
    reason: reason ?? null,
    usual: load.flag === 'few_rows' ? load.usual : null,
  };
}

type Counts = NonNullable<Unit['load']>['counts'];

function differing({ reported, received, staged, rejected, loaded, queryable }: Counts): (keyof Counts)[] {
  const kept = staged === null || rejected === null ? null : BigInt(staged) + BigInt(rejected);
  const pairs = [
    ['received', reported, received],
    ['staged', received, kept],
    ['loaded', staged, loaded],
    ['queryable', loaded, queryable],
  ] as const;
  return pairs
    .filter(([, a, b]) => a !== null && b !== null && BigInt(a) !== BigInt(b))
    .map(([name]) => name);
}

function modelsFrom(raw: string, reads: Reads): Unit['models'] {
  const family = [...familyOf(raw, reads)].filter((name) => name !== raw);
  return Object.fromEntries(family.sort().map((name) => [name, [...(reads.get(name) ?? [])]]));
}

function drawUnit(unit: Unit, { query, canAct }: PageRequest): Html {
  const { source, status, updated_at, load, rejects, schema_changes } = unit;
  return html`<h1>${unit.unit}</h1>
<p class="facts">${statusMark(status)} since ${timeText(updated_at)} UTC.
${source.project_id === null ? null : html`Project ${projectLink(source.project_id, unit.project_name)}.`}
${source.kind === 'crawl' ? html`${crawlLink(unit.crawl ?? { crawl_id: source.id, ended_at: null })}.` : null}</p>
${failureNotice(unit)}
${canAct && unit.error !== null ? planButton(retryOf(unit), 'Retry') : null}
<h2>From the service to the warehouse</h2>
${
  load === null
    ? html`<p class="empty">It is not in the warehouse.</p>`
    : html`${
        unit.status === 'published'
          ? null
          : html`<p class="facts">These are the rows of its last load. They stay until it is loaded again.</p>`
      }${drawChain(load)}${drawLoad(load)}`
}
<h2>Rejects</h2>
${table(
  'Rejects',
  [
    { name: 'file', cell: ({ file }) => file },
    { name: 'line', isNumber: true, cell: ({ line }) => countOrDash(line) },
    { name: 'field', cell: ({ field }) => field },
    { name: 'value', cell: ({ value }) => value },
    { name: 'reason', cell: ({ reason }) => reason },
  ],
  rejects,
  'Every value fits its type.',
)}
${drawPaging(unit.paging, { path: unitPath(unit.unit), query })}
<h2>Schema changes of ${unit.dataset}</h2>
${table(
  'Schema changes',
  [
    { name: 'field', cell: ({ field }) => field },
    { name: 'change', cell: ({ change }) => change },
    { name: 'before', cell: ({ before }) => before },
    { name: 'after', cell: ({ after }) => after },
    { name: 'when (UTC)', cell: ({ changed_at }) => timeText(changed_at) },
    { name: 'unit', cell: (change) => unitLink(change.unit) },
  ],
  schema_changes,
  'Its fields have not changed.',
)}
<h2>Models that come of its rows</h2>
${drawModels(unit)}
`;
}

function failureNotice({ status, attempts, failures, failing_since, next_try_at, error }: Unit): Html | null {
  if (error === null) return null;
  const isFailing = failures > 0;
  const tried = `${countText(attempts)} ${attempts === 1 ? 'attempt' : 'attempts'}`;
  const when =
    next_try_at === null || Date.parse(next_try_at) <= Date.now()
      ? 'by the next run'
      : html`after ${timeText(next_try_at)} UTC`;
  return html`<div class="${status === 'failed' || status === 'refused' ? 'incident' : 'notice'}">
<p>${error.message} <code>${error.code}</code></p>
${isFailing ? html`<p class="facts">${countText(failures)} ${failures === 1 ? 'run' : 'runs in a row'}${failing_since === null ? null : html`, since ${timeText(failing_since)} UTC`}; ${tried} in the last one. It is tried again ${when}.</p>` : null}
${error.hint === null ? null : html`<p><strong>To do:</strong> ${error.hint}</p>`}
</div>`;
}

function drawChain({ counts, differing: wrong }: NonNullable<Unit['load']>): Html {
  return html`<ol class="chain">${COUNTS.map(
    (name) =>
      html`<li${wrong.includes(name) ? html` class="differs"` : null}><span>${name}</span> <strong>${countOrDash(counts[name])}</strong>${
        wrong.includes(name) ? html` <span class="bad">differs</span>` : null
      }</li>\n`,
  )}</ol>
<p class="facts">received = staged + rejected. ${counts.reported === null ? 'The service gives no count of its own.' : null}</p>
`;
}

function drawLoad(load: NonNullable<Unit['load']>): Html {
  const { route, reason, format, bytes, seconds, attempts, filter, usual, run_id, loaded_at } = load;
  const lines: readonly (readonly [string, Html | string | null])[] = [
    ['route', route === null ? null : reason === null ? route : `${route} (${reason})`],
    ['format', format],
    ['bytes', bytes === null ? null : bytesText(Number(bytes))],
    ['took', seconds === null ? null : durationText(seconds)],
    ['attempts', countOrDash(attempts)],
    ['loaded', html`${timeText(loaded_at)} UTC`],
    ['run', run_id === null ? null : runLink(run_id)],
    ['filter', filter],
  ];
  return html`${usual === null ? null : html`<p class="notice">It has far fewer rows than usual: ${countOrDash(usual)} are usual.</p>`}
<dl class="facts-list">${lines.map(([name, value]) => html`<dt>${name}</dt><dd>${value ?? '–'}</dd>\n`)}</dl>`;
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
<details><summary>The way of its rows through the models</summary><div class="scroll" tabindex="0" role="region" aria-label="Lineage">${drawing}</div></details>`;
}
