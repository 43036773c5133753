import { z } from 'zod';
import { TrinoErrorBody } from './trino-error.ts';
import { TypeSignature } from './typed-values.ts';

/** An answer to a statement, or to a request for its next page. */
export const TrinoAnswer = z.looseObject({
  id: z.string(),
  nextUri: z.string().optional(),
  columns: z
    .array(z.looseObject({ name: z.string(), type: z.string(), typeSignature: TypeSignature }))
    .optional(),
  data: z.unknown().optional(),
  error: TrinoErrorBody.optional(),
  updateCount: z.union([z.number(), z.bigint()]).optional(),
});
export type TrinoAnswer = z.output<typeof TrinoAnswer>;
