import type { z } from 'zod';
import { invalidParameters, type OffendingField } from '../refusal.ts';

/** Parses a query or a body; what does not fit is refused, each parameter by its name. */
export function checkRequest<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw invalidParameters(...parsed.error.issues.flatMap((issue) => offending(issue, input)));
}

function offending(issue: z.core.$ZodIssue, input: unknown): OffendingField[] {
  const path = pathOf(issue.path);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      name: path ? `${path}.${key}` : key,
      type: 'unknown',
      message: 'is not a parameter of this request',
    }));
  }
  // Whatever would have been wrong with a value: there is none.
  const missing = issue.code !== 'custom' && path !== '' && valueAt(input, issue.path) === undefined;
  if (missing) return [{ name: path, type: 'required', message: 'is required' }];
  return [{ name: path || 'body', type: issue.code, message: issue.message }];
}

function pathOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) =>
      typeof key === 'number' ? `${text}[${key}]` : text ? `${text}.${String(key)}` : String(key),
    '',
  );
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key],
    input,
  );
}
