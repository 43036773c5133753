import { z } from 'zod';
import type { Typed } from '../../../core/text/typed-rows.ts';
import { planFacts } from '../../operations/status/plan-blocks.ts';

const SHOWN = 200;
const Amount = z.number().nullable().default(null);
const Name = z.string().nullable().default(null);

/** The output of `--plan --json` for `run`, `backfill` and `drop`. Null is unknown, or not requested. */
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

/** The effects of an action, and their cost. */
export const ActionPlan = Printed.extend({
  left_out: z.array(z.object({ reason: z.string(), units: z.number() })),
  /** Datasets that were never loaded. */
  not_loaded: z.array(z.string()),
});
export type ActionPlan = Typed<typeof ActionPlan>;

export function planOf(document: unknown): ActionPlan {
  return planFacts(Printed.parse(document), SHOWN);
}
