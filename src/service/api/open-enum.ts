import { z } from 'zod';

/** A string whose values the specification lists, read as open: a value it does not list is no error (spec-notes.md 12). */
export function openEnum(values: readonly string[]) {
  return z.string().meta({ description: `Known values: ${values.join(', ')}.`, examples: [...values] });
}
