import { z } from 'zod';
import type { ReadonlyDeep } from '../../../core/text/typed-rows.ts';
import { RunRecord, Time, UnitRecord } from '../../../etl/project/model/runs/ledger-records.ts';
import { PlannedUnit, PlanTotals } from '../../../etl/project/model/runs/plan-report.ts';
import { Count } from '../../../etl/project/model/runs/six-counts.ts';
import { UnitEvent } from '../../../etl/project/model/runs/unit-event.ts';
import {
  ModelReport,
  MovedFigures,
  RUN_STATUSES,
  TestReport,
  UNIT_STATUSES,
  UnitResult,
} from '../../../etl/project/model/runs/unit-report.ts';
import { ClaimedUnit, Discovery, LedgerExport } from '../../../etl/state/ledger/ledger-facts.ts';
import { LiveRun } from '../../../etl/state/ledger/live-run.ts';
import { FoundIssue, IssueTicket } from '../../answers/explore/issues/found-issue.ts';
import { ProjectFreshness } from '../../operations/alert/project-freshness.ts';
import type { Invocation } from '../command.ts';

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
  changed: z.array(z.enum(['filter', 'fields'])),
  units: Count,
  archived: Count,
  command: z.string().nullable(),
});

const RunDocument = z.object({
  run_id: z.string().nullable().describe('Null if there was nothing to run.'),
  status: z.enum(RUN_STATUSES),
  started_at: Time,
  ended_at: Time,
  units: z.array(Unit.extend({ ...UnitResult.shape, error: UnitError.nullable() })),
  models: z.array(ModelReport),
  tests: z.array(TestReport),
  healed: z.array(z.string()).optional(),
  drift: z.array(Drift).optional(),
  moved: z.array(MovedFigures).optional().describe('Figures of mart that an upgrade changed.'),
  error: Failure.nullable(),
});

const PlanDocument = z.object({
  units: z.array(Unit.extend(PlannedUnit.shape)),
  totals: PlanTotals,
  drift: z.array(Drift).optional(),
});

const StatusDocument = z.object({
  incidents: z.array(
    z.object({
      key: z.string(),
      event: z.string(),
      title: z.string(),
      message: z.string(),
      details: z.array(z.string()),
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
  discovery: z.object(Discovery.shape),
  units: z.array(Unit.extend({ ...UnitRecord.shape, error: UnitError.nullable() })),
  exports: z.array(z.object(LedgerExport.shape)),
  runs: z.array(
    RunRecord.extend({
      summary: z
        .object({
          units: z.partialRecord(z.enum(UNIT_STATUSES), Count),
          rows: Count,
          error: z.string().nullable(),
          errors: Count,
          failure: UnitError.nullish(),
          healed: z.array(z.string()).optional(),
          seconds: z
            .object({ units: z.number(), after: z.number(), usual: z.number().optional() })
            .optional(),
        })
        .nullable(),
    }),
  ),
  claims: z.array(z.object(ClaimedUnit.shape)),
  live: z.object(LiveRun.shape).nullable(),
  freshness: z.array(z.object(ProjectFreshness.shape)),
  disk: z
    .object({
      warehouse: Count,
      working_copy: Count,
      spare: Count,
      packages: Count,
      raw: Count,
      logs: Count,
      spill: Count,
      free: Count.nullable(),
    })
    .describe('Bytes.'),
  drift: z.array(Drift),
  schedules: z.array(z.object({ name: z.string(), next_at: Time.nullable() })),
});

const DiscoverDocument = z.object({
  units: z.array(
    Unit.extend({ status: z.enum(['due', 'skipped', 'failed']), reason: z.string().nullable() }),
  ),
  open: z.array(z.string()),
  drift: z.array(Drift),
});

const DoctorDocument = z.object({
  status: z.enum(['ok', 'warn', 'fail', 'skip']),
  checks: z.array(
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

const Versions = z.object({ from: Count, to: Count }).nullable();

const UpgradeDocument = z.object({
  warehouse: Versions.describe('Versions of the tables of ops; null if nothing is published.'),
  contract: Versions.describe('Versions of the contract of mart.'),
  mart: z.array(
    z.object({
      table: z.string(),
      column: z.string().nullable().describe('Null for the table itself.'),
      change: z.enum(['removed', 'renamed', 'meaning']),
      now: z.string().nullable().describe('The new name.'),
      until: z.int().nullable().describe('The version of the contract that no longer has the former name.'),
      says: z.string().nullable(),
      reaches: z.array(z.string()).describe('The tables that are made from this one.'),
    }),
  ),
  moved: z.array(MovedFigures).nullable().describe('Null if the rows are in another engine.'),
});

const AlertsTestDocument = z.object({
  targets: z.array(
    z.object({
      target: z.string(),
      users: z.array(z.string()),
      answer: z.string().nullable(),
      error: UnitError.nullable(),
    }),
  ),
});

const IssuesDocument = z.array(
  z.object({
    ...FoundIssue.shape,
    ignored: z.number().describe('How many of its pages are in ignored tickets.'),
    tickets: z.array(z.object(IssueTicket.shape)),
  }),
);

/** The documents of `--json` with a schema, by name, with description and version. */
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
  'doctor-upgrade': { schema: UpgradeDocument, version: 1, title: 'What doctor --upgrade --json prints' },
  'alerts-test': { schema: AlertsTestDocument, version: 1, title: 'What alerts test --json prints' },
  issues: { schema: IssuesDocument, version: 1, title: 'What issues --json prints' },
  events: { schema: z.object(UnitEvent.shape), version: 1, title: 'A line of run --events' },
  error: {
    schema: z.object({ error: Failure }),
    version: 1,
    title: 'What a command with --json prints if it fails before its result',
  },
} as const;

export function printDocument<Name extends keyof typeof DOCUMENTS>(
  invocation: Invocation,
  _name: Name,
  document: ReadonlyDeep<z.input<(typeof DOCUMENTS)[Name]['schema']>>,
): Promise<void> {
  return invocation.printJson(document);
}

/** Returns the JSON Schemas of the documents, by file name. They allow additional keys of later versions. */
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
