import { z } from 'zod';

/** As many units of a plan are shown. */
const SHOWN = 200;
const Amount = z.number().nullable();

/** What an action would do, and what that costs. */
export const ActionPlan = z.object({
  totals: z.object({
    units: z.number(),
    rows: z.number(),
    /** Of the service, by past loads; null where that is not known, or nothing is asked for. */
    bytes: Amount,
    seconds: Amount,
    requests: Amount,
    exports: Amount,
  }),
  units: z.array(
    z.object({
      unit: z.string(),
      route: z.string().nullable(),
      rows: Amount,
      bytes: Amount,
      seconds: Amount,
      reason: z.string().nullable(),
    }),
  ),
  /** Units that can't be loaded, by the reason. */
  left_out: z.array(z.object({ reason: z.string(), units: z.number() })),
});
export type ActionPlan = z.infer<typeof ActionPlan>;

/** What `--plan --json` prints for `run`, `backfill` and `drop`. */
const Printed = z.object({
  units: z.array(
    z.object({
      unit: z.string(),
      status: z.string().default('due'),
      route: z.string().nullable().default(null),
      rows: Amount,
      bytes: Amount.default(null),
      seconds: Amount.default(null),
      reason: z.string().nullable().default(null),
    }),
  ),
  totals: z.object({
    units: z.number(),
    rows: z.number(),
    bytes: Amount.default(null),
    seconds: Amount.default(null),
    requests: Amount.default(null),
    exports: Amount.default(null),
  }),
});

export function planOf(document: unknown): ActionPlan {
  const { units, totals } = Printed.parse(document);
  const left = units.filter(({ status }) => status === 'skipped' || status === 'failed');
  const reasons = Map.groupBy(left, ({ reason }) => reason ?? 'unknown');
  return {
    totals,
    units: units
      .filter(({ status }) => status === 'due')
      .slice(0, SHOWN)
      .map(({ status: _status, ...unit }) => unit),
    left_out: [...reasons].map(([reason, those]) => ({ reason, units: those.length })),
  };
}
