import { z } from 'zod';
import { ProjectFreshness } from '../../../operations/alert/project-freshness.ts';
import { UNIT_STATES } from '../../../project/model/runs/ledger-records.ts';
import { UnitEvent } from '../../../project/model/runs/unit-event.ts';
import { ClaimedUnit } from '../../../state/ledger/ledger-facts.ts';
import { LiveRun } from '../../../state/ledger/live-run.ts';
import type { Invocation } from '../command.ts';

const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();
const Count = z.int().nonnegative();
const Time = z.string().describe('ISO 8601, UTC.');

const Unit = z.object({
  unit: z.string(),
  dataset: z.string(),
  source: z.object({ kind: z.string(), id: z.string(), project_id: z.string().nullable() }),
  window: z.object({ from: z.string(), to: z.string() }).nullable(),
});
const UnitError = z.object({ code: z.string(), message: z.string(), hint: z.string().nullable() });
const Failure = UnitError.extend({ file: z.string().nullable(), line: z.int().nullable() });
const Drift = z.object({
  dataset: z.string(),
  changed: listOf(z.enum(['filter', 'fields'])),
  units: Count,
  archived: Count,
  command: z.string().nullable(),
});

const RunDocument = z.object({
  run_id: z.string().nullable().describe('Null where there was nothing to run.'),
  status: z.enum(['done', 'partial', 'refused', 'failed']),
  started_at: Time,
  ended_at: Time,
  units: listOf(
    Unit.extend({
      route: z.string().nullable(),
      format: z.string().nullable(),
      reason: z.string().nullable(),
      status: z.enum(['loaded', 'unchanged', 'failed', 'refused', 'skipped']),
      counts: z
        .object({
          reported: Count.nullable(),
          received: Count.nullable(),
          staged: Count.nullable(),
          rejected: Count.nullable(),
          loaded: Count.nullable(),
          queryable: Count.nullable(),
        })
        .describe('Rows at each step (docs/warehouse.md#the-six-counts).'),
      bytes: Count.nullable(),
      seconds: z.number(),
      attempts: Count,
      error: UnitError.nullable(),
    }),
  ),
  models: listOf(
    z.object({
      name: z.string(),
      status: z.enum(['built', 'unchanged', 'failed']),
      rows: Count.nullable(),
      seconds: z.number(),
    }),
  ),
  tests: listOf(
    z.object({
      name: z.string(),
      model: z.string(),
      severity: z.enum(['error', 'warn']),
      status: z.enum(['passed', 'failed']),
      failures: Count,
      sample: listOf(z.record(z.string(), z.unknown())),
      query: z.string(),
      held: listOf(z.string()).optional(),
    }),
  ),
  healed: listOf(z.string()).optional(),
  drift: listOf(Drift).optional(),
  error: Failure.nullable(),
});

const PlanDocument = z.object({
  units: listOf(
    Unit.extend({
      project_name: z.string().nullable(),
      status: z.enum(['due', 'loaded', 'skipped', 'failed']),
      route: z.string().nullable(),
      format: z.string().nullable(),
      rows: Count.nullable(),
      bytes: z.number().nullable(),
      seconds: z.number().nullable(),
      limit_seconds: z.number().nullable(),
      requests: Count,
      reason: z.string(),
    }),
  ),
  totals: z.object({
    units: Count,
    rows: Count,
    bytes: z.number().nullable(),
    seconds: z.number().nullable(),
    requests: Count,
    exports: Count,
    loaded: Count,
    skipped: Count,
    failed: Count,
  }),
  drift: listOf(Drift).optional(),
});

const StatusDocument = z.object({
  incidents: listOf(
    z.object({
      key: z.string(),
      event: z.string(),
      title: z.string(),
      message: z.string(),
      details: listOf(z.string()),
      hint: z.string().nullable(),
      project_id: z.string().nullable(),
      began: Time.nullable(),
      opened_at: Time.nullable(),
      project: z.string().optional(),
      crawl: z.string().optional(),
      change: z.string().optional(),
      segmentation: z.string().nullish(),
      segment: z.string().nullish(),
      pages: z.number().nullish(),
      clicks: z.number().nullish(),
      wait: z.boolean().optional(),
    }),
  ),
  discovery: z.object({ open: listOf(z.string()), swept_at: Time.nullable() }),
  units: listOf(
    Unit.extend({
      status: z.enum(UNIT_STATES),
      attempts: Count,
      error: UnitError.nullable(),
      failures: Count,
      failing_since: Time.nullable(),
      next_try_at: Time.nullable(),
      updated_at: Time,
    }),
  ),
  exports: listOf(
    z.object({
      unit: z.string(),
      data_export_id: z.string().nullable(),
      store: z.string(),
      format: z.string(),
      prefix: z.string(),
      status: z.string(),
      requested_at: Time,
      run_id: z.string().nullable(),
    }),
  ),
  runs: listOf(
    z.object({
      run_id: z.string(),
      command: z.string(),
      status: z.string(),
      started_at: Time,
      ended_at: Time.nullable(),
      summary: z
        .object({
          units: z.partialRecord(z.enum(['loaded', 'unchanged', 'failed', 'refused', 'skipped']), Count),
          rows: Count,
          error: z.string().nullable(),
          errors: Count,
          failure: UnitError.nullish(),
          healed: listOf(z.string()).optional(),
          seconds: z
            .object({ units: z.number(), after: z.number(), usual: z.number().optional() })
            .optional(),
        })
        .nullable(),
    }),
  ),
  claims: listOf(z.object(ClaimedUnit.shape)),
  live: z.object(LiveRun.shape).nullable(),
  freshness: listOf(z.object(ProjectFreshness.shape)),
  disk: z
    .object({
      ...{ warehouse: Count, working_copy: Count, spare: Count, packages: Count, raw: Count, logs: Count },
      ...{ spill: Count, free: Count.nullable() },
    })
    .describe('Bytes.'),
  drift: listOf(Drift),
  schedules: listOf(z.object({ name: z.string(), next_at: Time.nullable() })),
});

const DiscoverDocument = z.object({
  units: listOf(Unit.extend({ status: z.enum(['due', 'skipped', 'failed']), reason: z.string().nullable() })),
  open: listOf(z.string()),
  drift: listOf(Drift),
});

const DoctorDocument = z.object({
  status: z.enum(['ok', 'warn', 'fail', 'skip']),
  checks: listOf(
    z.object({
      name: z.string(),
      status: z.enum(['ok', 'warn', 'fail', 'skip']),
      message: z.string(),
      hint: z.string().nullable(),
      code: z.string().nullable(),
    }),
  ),
  error: Failure.nullable(),
});

const AlertsTestDocument = z.object({
  targets: listOf(
    z.object({
      target: z.string(),
      users: listOf(z.string()),
      answer: z.string().nullable(),
      error: UnitError.nullable(),
    }),
  ),
});

/** The documents of `--json` that have a schema, by its name, with what they are and their version. */
export const DOCUMENTS = {
  run: { schema: RunDocument, version: 1, title: 'What run --json and backfill --json print' },
  plan: {
    schema: PlanDocument,
    version: 1,
    title: 'What run --plan --json and backfill --plan --json print',
  },
  status: { schema: StatusDocument, version: 1, title: 'What status --json prints' },
  discover: { schema: DiscoverDocument, version: 1, title: 'What discover --json prints' },
  doctor: { schema: DoctorDocument, version: 1, title: 'What doctor --json prints' },
  'alerts-test': { schema: AlertsTestDocument, version: 1, title: 'What alerts test --json prints' },
  events: { schema: z.object(UnitEvent.shape), version: 1, title: 'A line of run --events' },
  error: {
    schema: z.object({ error: Failure }),
    version: 1,
    title: 'What a command with --json prints that fails before it has its result',
  },
} as const;

/** Prints a document that has a schema. */
export function printDocument<Name extends keyof typeof DOCUMENTS>(
  invocation: Invocation,
  _name: Name,
  document: z.input<(typeof DOCUMENTS)[Name]['schema']>,
): Promise<void> {
  return invocation.printJson(document);
}

/** The JSON Schemas of the documents, by file name. They allow keys that a later version adds. */
export function documentSchemas(): Readonly<Record<string, object>> {
  return Object.fromEntries(
    Object.entries(DOCUMENTS).map(([name, { schema, version, title }]) => [
      `${name}.schema.json`,
      {
        $id: `urn:crawlhouse:schema:${name}:${version}`,
        title: `${title}, version ${version}`,
        ...z.toJSONSchema(schema, { target: 'draft-7', io: 'input' }),
      },
    ]),
  );
}
