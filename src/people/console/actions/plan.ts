import { z } from 'zod';
import { planFacts } from '../../../operations/status/plan-blocks.ts';

const SHOWN = 200;
const Amount = z.number().nullable().default(null);
const Name = z.string().nullable().default(null);

/** What `--plan --json` prints for `run`, `backfill` and `drop`. Null is not known, or not asked for. */
const Printed = z.object({
  units: z.array(
    z.object({
      unit: z.string(),
      dataset: z.string().default(''),
      project_name: Name,
      status: z.string().default('due'),
      route: Name,
      format: Name,
      rows: z.number().nullable(),
      bytes: Amount,
      seconds: Amount,
      limit_seconds: Amount,
      requests: Amount,
      reason: Name,
    }),
  ),
  totals: z.object({
    units: z.number(),
    rows: z.number(),
    bytes: Amount,
    seconds: Amount,
    requests: Amount,
    exports: Amount,
    loaded: Amount,
  }),
});

/** What an action would do, and what that costs. */
export const ActionPlan = Printed.extend({
  left_out: z.array(z.object({ reason: z.string(), units: z.number() })),
  /** Datasets that were never loaded. */
  not_loaded: z.array(z.string()),
});
export type ActionPlan = z.infer<typeof ActionPlan>;

export function planOf(document: unknown): ActionPlan {
  return planFacts(Printed.parse(document), SHOWN);
}
