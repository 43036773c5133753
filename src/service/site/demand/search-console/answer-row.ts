import { z } from 'zod';

/** A row of `searchAnalytics.query`; its keys are the values of the dimensions, in the order that was asked for. */
export const AnswerRow = z.looseObject({
  keys: z.array(z.string()).optional(),
  clicks: z.union([z.number(), z.bigint()]),
  impressions: z.union([z.number(), z.bigint()]),
  position: z.number().nullish(),
});
export type AnswerRow = z.infer<typeof AnswerRow>;
